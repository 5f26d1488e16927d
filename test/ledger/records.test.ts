import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { ledgerRecords, type Records } from "../../lib/ledger/records.ts";
import type { Condition, Item, Key, Table } from "../../lib/ledger/table.ts";
import { MemoryTable } from "./memory-table.ts";

const key = { pk: "thing#1", sk: "thing" };

/** Each put lands and its reply is lost: the SDK sends it again and hands back the second answer. */
class RepeatingTable extends MemoryTable {
  /** What another writer does between the two. */
  meanwhile: (() => Promise<unknown>) | undefined;

  override async put(item: Item, condition: Condition): Promise<"written" | "refused"> {
    await super.put(item, condition);
    const then = this.meanwhile;
    this.meanwhile = undefined;
    await then?.();
    return super.put(item, condition);
  }
}

/** Remembers what it was given, for looking at what is stored beside the value. */
class WatchedTable extends MemoryTable {
  readonly puts: Item[] = [];

  override put(item: Item, condition: Condition): Promise<"written" | "refused"> {
    this.puts.push(item);
    return super.put(item, condition);
  }
}

let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
});

const recordsOn = (table: Table): Records => ledgerRecords(table, clock, randomUUID);

describe("a record", () => {
  test("is created once, and read with the version that the next write must name", async () => {
    const records = recordsOn(new MemoryTable());
    expect(await records.read(key)).toBeUndefined();
    expect(await records.create(key, { n: 1 })).toEqual({
      outcome: "written",
      stored: { value: { n: 1 }, version: 1 },
    });
    expect(await records.read(key)).toEqual({ value: { n: 1 }, version: 1 });
    expect(await records.create(key, { n: 2 })).toEqual({
      outcome: "conflict",
      stored: { value: { n: 1 }, version: 1 },
    });
  });

  test("is replaced by whoever read its latest version, and nobody else", async () => {
    const records = recordsOn(new MemoryTable());
    await records.create(key, { n: 1 });
    const read = { value: { n: 1 }, version: 1 };
    const second = await records.replace(key, read, { n: 2 });
    expect(second).toEqual({ outcome: "written", stored: { value: { n: 2 }, version: 2 } });
    const late = await records.replace(key, read, { n: 3 });
    expect(late).toEqual({ outcome: "conflict", stored: { value: { n: 2 }, version: 2 } });
  });

  test("that is gone is a conflict with nothing", async () => {
    const records = recordsOn(new MemoryTable());
    const written = await records.replace(key, { value: { n: 1 }, version: 1 }, { n: 2 });
    expect(written).toEqual({ outcome: "conflict", stored: undefined });
  });

  test("is read in the order of the keys, with gaps", async () => {
    const records = recordsOn(new MemoryTable());
    const keys: Key[] = ["a", "b", "c"].map((sk) => ({ pk: "list", sk }));
    await records.create({ pk: "list", sk: "c" }, "C");
    await records.create({ pk: "list", sk: "a" }, "A");
    expect((await records.readAll<string>(keys)).map((one) => one?.value)).toEqual(["A", undefined, "C"]);
  });
});

describe("a write that landed and lost its reply", () => {
  test("is known as ours when it created", async () => {
    const written = await recordsOn(new RepeatingTable()).create(key, { n: 1 });
    expect(written).toEqual({ outcome: "written", stored: { value: { n: 1 }, version: 1 } });
  });

  test("is known as ours when it replaced", async () => {
    const records = recordsOn(new RepeatingTable());
    await records.create(key, { n: 1 });
    const written = await records.replace(key, { value: { n: 1 }, version: 1 }, { n: 2 });
    expect(written).toEqual({ outcome: "written", stored: { value: { n: 2 }, version: 2 } });
    expect(await records.read(key)).toEqual({ value: { n: 2 }, version: 2 });
  });

  test("is a conflict when somebody wrote over it before the repeat: what stands is theirs", async () => {
    const table = new RepeatingTable();
    const ours = recordsOn(table);
    const others = recordsOn(table);
    table.meanwhile = () => others.replace(key, { value: { n: 1 }, version: 1 }, { n: "theirs" });
    const written = await ours.create(key, { n: 1 });
    expect(written).toEqual({ outcome: "conflict", stored: { value: { n: "theirs" }, version: 2 } });
  });

  test("is not mistaken for another write of the same value", async () => {
    const table = new RepeatingTable();
    await recordsOn(table).create(key, { n: 1 });
    expect((await recordsOn(table).create(key, { n: 1 })).outcome).toBe("conflict");
  });
});

describe("a record with an end", () => {
  const minute = { lifeMs: 60_000 };

  test("is absent from that moment, whether or not TTL has removed it", async () => {
    const table = new MemoryTable();
    const records = recordsOn(table);
    await records.create(key, 1, minute);
    clock.advance(59_999);
    expect(await records.read(key)).toEqual({ value: 1, version: 1 });
    clock.advance(1);
    expect(await records.read(key)).toBeUndefined();
    expect(await records.readAll([key])).toEqual([undefined]);
    expect((await table.get([key]))[0]).toBeDefined();
  });

  test("can be created again after it", async () => {
    const records = recordsOn(new MemoryTable());
    await records.create(key, 1, minute);
    clock.advance(60_000);
    expect((await records.create(key, 2, minute)).outcome).toBe("written");
    expect(await records.read(key)).toEqual({ value: 2, version: 1 });
  });

  test("never ends early, whatever the fraction of a second it was written in", async () => {
    for (const offset of [0, 1, 499, 500, 999]) {
      const records = recordsOn(new MemoryTable());
      clock.advance(1_000 + offset);
      await records.create(key, 1, { lifeMs: 1_500 });
      clock.advance(1_499);
      expect(await records.read(key)).toBeDefined();
      expect((await records.create(key, 2)).outcome).toBe("conflict");
    }
  });

  test("at every millisecond, a create succeeds exactly when a read finds nothing", async () => {
    for (let after = 1_000; after < 3_200; after += 37) {
      const records = recordsOn(new MemoryTable());
      await records.create(key, 1, { lifeMs: 1_700 });
      clock.advance(after);
      const seen = await records.read(key);
      expect((await records.create(key, 2)).outcome).toBe(seen === undefined ? "written" : "conflict");
    }
  });

  test("loses it when it is replaced without one", async () => {
    const records = recordsOn(new MemoryTable());
    await records.create(key, 1, minute);
    await records.replace(key, { value: 1, version: 1 }, 2);
    clock.advance(120_000);
    expect(await records.read(key)).toEqual({ value: 2, version: 2 });
  });
});

test("each write carries a token of its own", async () => {
  const table = new WatchedTable();
  const records = recordsOn(table);
  await records.create(key, 1);
  await records.replace(key, { value: 1, version: 1 }, 2);
  await records.create(key, 3);
  expect(new Set(table.puts.map(({ writer }) => writer)).size).toBe(3);
});
