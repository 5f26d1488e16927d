import { randomUUID } from "node:crypto";
import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { dynamodbLiveSets } from "../../lib/ledger/dynamodb-live-sets.ts";
import type { LiveSets } from "../../lib/ledger/live-set.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { startLocalTable } from "./local-table.ts";
import { MemoryLiveSets } from "./memory-live-sets.ts";

const set = { of: "kici#aws-linux", kind: "x86_64" };
const arm = { ...set, kind: "arm64" };

const kinds = {
  async dynamodb(clock: ManualClock) {
    const { table, client, tableName, close } = await startLocalTable();
    const records = ledgerRecords(table, clock, randomUUID);
    return { liveSets: dynamodbLiveSets(client, tableName, records, clock), close };
  },
  async memory(clock: ManualClock) {
    return { liveSets: new MemoryLiveSets(clock) as LiveSets, close: async () => {} };
  },
};

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("sets of living things in %s", (kind) => {
  let clock: ManualClock;
  let liveSets: LiveSets;
  let close: () => Promise<void>;
  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
    ({ liveSets, close } = await kinds[kind](clock));
  });
  afterEach(() => close());

  const names = async () => (await liveSets.places(set)).map(({ name }) => name).sort();

  test("as many get in as the cap says, however many ask at once and however often", async () => {
    const asked = Array.from({ length: 30 }, (_, index) => `agent-${index % 15}`);
    const answers = await Promise.all(asked.map((name) => liveSets.take(set, name, 6)));
    const inside = await names();
    expect(inside).toHaveLength(6);
    for (const [index, name] of asked.entries()) {
      expect([name, answers[index]]).toEqual([name, inside.includes(name) ? "taken" : "full"]);
    }
  });

  test("who is in is in, even when the set is full; who was freed leaves room", async () => {
    await liveSets.take(set, "a", 1);
    expect(await liveSets.take(set, "a", 1)).toBe("taken");
    expect(await liveSets.take(set, "b", 1)).toBe("full");
    await liveSets.free(set, "a");
    await liveSets.free(set, "a");
    expect(await liveSets.take(set, "b", 1)).toBe("taken");
  });

  test("a place that was taken again later is not freed for what was seen before", async () => {
    await liveSets.take(set, "a", 1);
    const [before] = await liveSets.places(set);
    clock.advance(1);
    await liveSets.take(set, "a", 1);
    await liveSets.free(set, "a", before?.since);
    expect(await names()).toEqual(["a"]);
    const [now] = await liveSets.places(set);
    await liveSets.free(set, "a", now?.since);
    expect(await names()).toEqual([]);
  });

  test("what lives anyway is let in past the cap, and counts", async () => {
    await liveSets.take(set, "a", 1);
    await liveSets.admit(set, "b");
    await liveSets.admit(set, "b");
    expect(await names()).toEqual(["a", "b"]);
    await liveSets.free(set, "a");
    expect(await liveSets.take(set, "c", 1)).toBe("full");
  });

  test("two kinds of one owner share nothing, and every set is listed", async () => {
    await Promise.all([liveSets.take(set, "a", 1), liveSets.take(arm, "b", 1), liveSets.take(set, "c", 1)]);
    expect(await liveSets.take(arm, "b", 1)).toBe("taken");
    expect((await liveSets.sets()).map(({ of, kind: each }) => [of, each]).sort()).toEqual([
      [set.of, "arm64"],
      [set.of, "x86_64"],
    ]);
  });

  test("names may hold what no expression could", async () => {
    for (const name of ["a.b", "#name", ":now", "size(a)", "漢 é", "a".repeat(256)]) {
      expect(await liveSets.take(set, name, 9)).toBe("taken");
      expect(await names()).toEqual([name]);
      await liveSets.free(set, name);
    }
  });

  test("nothing is in a set that nobody opened, and freeing there changes nothing", async () => {
    await liveSets.free(set, "a");
    await liveSets.free(set, "a", 1);
    expect(await names()).toEqual([]);
  });
});

test("a set of a layout that this release does not know is neither read nor changed", async () => {
  const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  const { table, client, tableName, close } = await startLocalTable();
  try {
    const liveSets = dynamodbLiveSets(client, tableName, ledgerRecords(table, clock, randomUUID), clock);
    const Key = { pk: { S: `live#${set.of}` }, sk: { S: set.kind } };
    const Item = { ...Key, schema: { N: "2" }, version: { N: "1" }, places: { M: { first: { N: "1" } } } };
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    await expect(liveSets.take(set, "second", 6)).rejects.toThrow("has layout 2");
    await expect(liveSets.admit(set, "second")).rejects.toThrow("has layout 2");
    await expect(liveSets.places(set)).rejects.toThrow("has layout 2");
    await liveSets.free(set, "first");
    await liveSets.free(set, "first", 1);
    const found = await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }));
    expect(found.Item).toEqual(Item);
  } finally {
    await close();
  }
});
