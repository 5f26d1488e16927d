import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { type CoolOffs, ledgerCoolOffs } from "../../lib/ledger/cool-offs.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { MemoryTable } from "./memory-table.ts";

let clock: ManualClock;
let coolOffs: CoolOffs;
beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  coolOffs = ledgerCoolOffs(ledgerRecords(new MemoryTable(), clock, randomUUID), clock);
});

test("what cools off does so for exactly its time, and again when it fails again", async () => {
  await coolOffs.start("a", 180_000);
  expect(await coolOffs.running(["a", "b"])).toEqual(new Map([["a", clock.now() + 180_000]]));
  clock.advance(179_999);
  expect([...(await coolOffs.running(["a", "b"])).keys()]).toEqual(["a"]);
  clock.advance(1);
  expect(await coolOffs.running(["a", "b"])).toEqual(new Map());
  clock.advance(1_000);
  await coolOffs.start("a", 180_000);
  expect([...(await coolOffs.running(["a"])).keys()]).toEqual(["a"]);
});

test("a second failure meanwhile does not make it longer", async () => {
  await coolOffs.start("a", 180_000);
  const until = clock.now() + 180_000;
  clock.advance(60_000);
  await coolOffs.start("a", 180_000);
  expect((await coolOffs.running(["a"])).get("a")).toBe(until);
});
