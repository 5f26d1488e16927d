import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { ledgerTrail, type Trail } from "../../lib/ledger/trail.ts";
import { startLocalTable } from "./local-table.ts";
import { MemoryTable } from "./memory-table.ts";

const day = 24 * 3_600_000;
const start = Date.UTC(2026, 8, 5, 12);

let local: Awaited<ReturnType<typeof startLocalTable>>;

beforeAll(async () => {
  local = await startLocalTable();
});

afterAll(() => local?.close());

const kinds: [string, () => Table][] = [
  ["in memory", () => new MemoryTable()],
  ["in DynamoDB", () => local.table],
];

describe.each(kinds)("the trail %s", (_, make) => {
  let clock: ManualClock;
  let trail: Trail;
  let fleet: string;

  beforeEach(() => {
    clock = new ManualClock(start);
    const table = make();
    trail = ledgerTrail(ledgerRecords(table, clock, randomUUID), table, clock, randomUUID);
    fleet = `fleet-${randomUUID()}`;
  });

  const append = (decided: string, of = fleet) =>
    trail.append({ fleet: of, saw: { desired: 3 }, decided, reasons: ["because"], outcome: "accepted" });

  const since = async (at: number, limit = 100) => (await trail.since(fleet, at, limit)).map(({ decided }) => decided);

  test("keeps what was seen, decided and done, and when", async () => {
    await append("raise 3 to 4");
    expect(await trail.since(fleet, 0, 10)).toEqual([
      {
        fleet,
        at: start,
        saw: { desired: 3 },
        decided: "raise 3 to 4",
        reasons: ["because"],
        outcome: "accepted",
      },
    ]);
  });

  test("is read oldest first, from a moment on, at most so many lines", async () => {
    for (const decided of ["a", "b", "c", "d"]) {
      await append(decided);
      clock.advance(1_000);
    }
    expect(await since(start)).toEqual(["a", "b", "c", "d"]);
    expect(await since(start + 1_000)).toEqual(["b", "c", "d"]);
    expect(await since(start + 1_001)).toEqual(["c", "d"]);
    expect(await since(start, 2)).toEqual(["a", "b"]);
    expect(await since(clock.now())).toEqual([]);
  });

  test("keeps every line of one millisecond", async () => {
    await Promise.all(["a", "b", "c"].map((decided) => append(decided)));
    expect((await since(start)).sort()).toEqual(["a", "b", "c"]);
  });

  test("is each fleet's own", async () => {
    await append("theirs", `${fleet}-other`);
    await append("ours");
    expect(await since(0)).toEqual(["ours"]);
  });

  test("tells a repeated decision about one thing once, until it changes", async () => {
    const say = (outcome: string, subject = "agent-1") =>
      trail.appendChange(subject, { fleet, saw: {}, decided: "launch", reasons: ["scale-up"], outcome });
    for (const outcome of ["observed", "observed", "i-1", "i-1", "observed"]) await say(outcome);
    await say("observed", "agent-2");
    const entries = await trail.since(fleet, 0, 10);
    expect(entries.map(({ outcome }) => outcome)).toEqual(["observed", "i-1", "observed", "observed"]);
  });

  test("tells a decision whose line could not be written when it is said again", async () => {
    const plain = make();
    let isLost = true;
    const table: Table = {
      get: (keys) => plain.get(keys),
      query: (pk, range) => plain.query(pk, range),
      put: async (item, condition) => {
        if (isLost && item.pk.startsWith("trail#")) throw new Error("The ledger could not be reached.");
        return plain.put(item, condition);
      },
    };
    const failing = ledgerTrail(ledgerRecords(table, clock, randomUUID), table, clock, randomUUID);
    const say = () =>
      failing.appendChange("agent-1", { fleet, saw: {}, decided: "launch", reasons: [], outcome: "observed" });
    await expect(say()).rejects.toThrow();
    isLost = false;
    for (let time = 0; time < 2; time += 1) await say();
    expect(await failing.since(fleet, 0, 10)).toHaveLength(1);
  });

  test("is read whole, page by page, in the order in which it was written", async () => {
    const numbers = Array.from({ length: 230 }, (_, index) => `line ${index}`);
    for (const decided of numbers) await append(decided);
    const read: string[] = [];
    for await (const { decided } of trail.all(fleet, 0)) read.push(decided);
    expect(read).toEqual(numbers);
  });

  test("knows the fleets that it tells of", async () => {
    await append("ours");
    await append("ours again");
    await append("theirs", `${fleet}-other`);
    expect(await trail.fleets()).toEqual(expect.arrayContaining([fleet, `${fleet}-other`]));
    expect((await trail.fleets()).filter((name) => name === fleet)).toHaveLength(1);
  });

  test("goes back 30 days, whether or not TTL has removed what is older", async () => {
    for (const decided of ["a", "b", "c"]) await append(decided);
    clock.advance(10 * day);
    await append("later");
    clock.advance(20 * day - 1);
    expect(await since(0)).toHaveLength(4);
    clock.advance(1_001);
    expect(await since(0)).toEqual(["later"]);
    // What has ended does not use up the limit.
    expect(await since(0, 1)).toEqual(["later"]);
  });
});
