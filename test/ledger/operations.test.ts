import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { ledgerOperations, type Operations } from "../../lib/ledger/operations.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { startLocalTable } from "./local-table.ts";
import { MemoryTable } from "./memory-table.ts";

type Phase = "planned" | "sent" | "done";

interface Detail {
  readonly note: string;
}

const day = 24 * 3_600_000;
const started = { phase: "planned" as const, owner: "run-1", ownedUntil: 0, detail: { note: "first" } };

let local: Awaited<ReturnType<typeof startLocalTable>>;

beforeAll(async () => {
  local = await startLocalTable();
});

afterAll(() => local?.close());

const kinds: [string, () => Table][] = [
  ["in memory", () => new MemoryTable()],
  ["in DynamoDB", () => local.table],
];

describe.each(kinds)("operations %s", (_, make) => {
  let clock: ManualClock;
  let operations: Operations<Phase, Detail>;
  let fleet: string;

  beforeEach(() => {
    clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
    const table = make();
    operations = ledgerOperations(ledgerRecords(table, clock, randomUUID), table, clock);
    fleet = `fleet-${randomUUID()}`;
  });

  test("an intent is recorded once; who starts it again gets what the first one left", async () => {
    const at = clock.now();
    const first = await operations.start({ fleet, key: "launch#1", ...started });
    expect(first.outcome).toBe("written");
    clock.advance(5);
    const again = await operations.start({ fleet, key: "launch#1", ...started, owner: "run-2", detail: { note: "2" } });
    expect(again.outcome).toBe("conflict");
    expect(again.stored?.value).toEqual({ fleet, key: "launch#1", ...started, startedAt: at, changedAt: at });
  });

  test("of 10 that start it at once, one does", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => operations.start({ fleet, key: "launch#1", ...started })),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "written")).toHaveLength(1);
  });

  test("a step is taken from exactly what was read; a second driver changes nothing", async () => {
    await operations.start({ fleet, key: "launch#1", ...started });
    const read = await operations.find(fleet, "launch#1");
    if (read === undefined) throw new Error("The operation is not there.");
    clock.advance(7);
    const sent = await operations.advance(read, { phase: "sent", owner: "run-2" });
    expect(sent.outcome).toBe("written");
    expect((await operations.advance(read, { phase: "done" })).outcome).toBe("conflict");
    const now = await operations.find(fleet, "launch#1");
    expect(now?.value).toMatchObject({ phase: "sent", owner: "run-2", detail: { note: "first" } });
    expect((now?.value.changedAt ?? 0) - (now?.value.startedAt ?? 0)).toBe(7);
  });

  test("250 of one fleet are all listed, in the order of their keys, and no other fleet's", async () => {
    const keys = Array.from({ length: 250 }, (_, index) => `launch#${String(index).padStart(4, "0")}`);
    await Promise.all(keys.toReversed().map((key) => operations.start({ fleet, key, ...started })));
    await operations.start({ fleet: `${fleet}-other`, key: "launch#x", ...started });
    expect((await operations.list(fleet)).map(({ key }) => key)).toEqual(keys);
    expect(await operations.list(`${fleet}-none`)).toEqual([]);
  });

  test("a finished one is listed for 30 days and then no more; an unfinished one stays", async () => {
    for (const key of ["finished", "open"]) await operations.start({ fleet, key, ...started });
    const read = await operations.find(fleet, "finished");
    if (read === undefined) throw new Error("The operation is not there.");
    await operations.advance(read, { phase: "done" }, { finished: true });
    const listed = async () => (await operations.list(fleet)).map(({ key }) => key);
    clock.advance(30 * day - 1);
    expect(await listed()).toEqual(["finished", "open"]);
    clock.advance(1);
    expect(await listed()).toEqual(["open"]);
    expect(await operations.find(fleet, "finished")).toBeUndefined();
    clock.advance(365 * day);
    expect(await listed()).toEqual(["open"]);
  });
});
