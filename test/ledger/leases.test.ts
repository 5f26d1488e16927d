import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { type Leases, ledgerLeases } from "../../lib/ledger/leases.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { MemoryTable } from "./memory-table.ts";

let clock: ManualClock;
let leases: Leases;

beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  leases = ledgerLeases(ledgerRecords(new MemoryTable(), clock, randomUUID), clock);
});

test("two runs at once: one holds the lease, the other is told so (cases.md 54)", async () => {
  const taken = await Promise.all(["a", "b", "c", "d"].map((owner) => leases.take("run", owner, 1_000)));
  expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
});

test("who held it and died does not block the next one for longer than the lease (cases.md 22)", async () => {
  expect(await leases.take("run", "dead", 1_000)).toBeDefined();
  clock.advance(999);
  expect(await leases.take("run", "next", 1_000)).toBeUndefined();
  clock.advance(1);
  expect(await leases.take("run", "next", 1_000)).toMatchObject({ owner: "next", fence: 2 });
});

test("many who find it run out: one of them gets it", async () => {
  await leases.take("run", "dead", 1_000);
  clock.advance(1_000);
  const taken = await Promise.all(["a", "b", "c", "d"].map((owner) => leases.take("run", owner, 1_000)));
  expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
});

test("a holder renews it, and keeps the others out", async () => {
  await leases.take("run", "a", 1_000);
  clock.advance(900);
  expect(await leases.take("run", "a", 1_000)).toMatchObject({ owner: "a", fence: 1 });
  clock.advance(900);
  expect(await leases.take("run", "b", 1_000)).toBeUndefined();
});

test("it is free at once when its holder lets go", async () => {
  await leases.take("run", "a", 1_000);
  await leases.release("run", "a");
  expect(await leases.take("run", "b", 1_000)).toMatchObject({ owner: "b", fence: 2 });
});

test("nobody lets go of another one's lease", async () => {
  await leases.take("run", "a", 1_000);
  await leases.release("run", "b");
  expect(await leases.take("run", "b", 1_000)).toBeUndefined();
  await leases.release("nothing", "b");
});

test("two leases know nothing of each other", async () => {
  expect(await leases.take("one", "a", 1_000)).toBeDefined();
  expect(await leases.take("two", "b", 1_000)).toBeDefined();
});
