import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Item, Table } from "../../lib/ledger/table.ts";
import { startLocalTable } from "./local-table.ts";
import { MemoryTable } from "./memory-table.ts";

/** Any second; conditions take it as an argument. */
const now = 1_788_609_600;

function item(pk: string, sk: string, more: Partial<Item> = {}): Item {
  return { pk, sk, version: 1, writer: randomUUID(), body: JSON.stringify({ sk }), ...more };
}

let local: Awaited<ReturnType<typeof startLocalTable>>;

beforeAll(async () => {
  local = await startLocalTable();
});

afterAll(() => local?.close());

const kinds: [string, () => Table][] = [
  ["in memory", () => new MemoryTable()],
  ["in DynamoDB", () => local.table],
];

describe.each(kinds)("the ledger's table %s", (_, make) => {
  let table: Table;
  /** A partition that no other test uses. */
  let pk: string;

  beforeEach(() => {
    table = make();
    pk = `test#${randomUUID()}`;
  });

  async function fill(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((sk) => table.put(item(pk, sk), { absent: { now } })));
  }

  async function sortKeys(range: Parameters<Table["query"]>[1]): Promise<string[]> {
    return (await table.query(pk, range)).items.map(({ sk }) => sk);
  }

  test("gives back what was put, every attribute of it", async () => {
    const whole = item(pk, "a", { version: 7, body: '{"ö":"\\u0000 \\" \\ud83d\\ude80"}', expiresAt: now + 5 });
    expect(await table.put(whole, { absent: { now } })).toBe("written");
    expect(await table.get([whole])).toEqual([whole]);
    const lasting = item(pk, "b");
    await table.put(lasting, { absent: { now } });
    expect(await table.get([lasting])).toEqual([lasting]);
  });

  test("answers for no keys, one key and a missing key", async () => {
    expect(await table.get([])).toEqual([]);
    expect(await table.get([{ pk, sk: "nothing" }])).toEqual([undefined]);
  });

  test("answers 250 keys in the order they were asked, with gaps where nothing is", async () => {
    const keys = Array.from({ length: 250 }, (_, index) => `key-${String((index * 97) % 250).padStart(3, "0")}`);
    const there = keys.filter((_, index) => index % 3 !== 0);
    await fill(there);
    const found = await table.get(keys.map((sk) => ({ pk, sk })));
    expect(found.map((one) => one?.sk)).toEqual(keys.map((sk, index) => (index % 3 === 0 ? undefined : sk)));
  });

  test("answers a key as often as it is asked for", async () => {
    await fill(["a", "b"]);
    const found = await table.get(["a", "b", "a", "c", "c"].map((sk) => ({ pk, sk })));
    expect(found.map((one) => one?.sk)).toEqual(["a", "b", "a", undefined, undefined]);
  });

  test("creates once: the second writer is refused, and the first one's item stands", async () => {
    const first = item(pk, "a");
    expect(await table.put(first, { absent: { now } })).toBe("written");
    expect(await table.put(item(pk, "a"), { absent: { now } })).toBe("refused");
    expect(await table.get([first])).toEqual([first]);
  });

  test("of 20 writers that create at once, one succeeds", async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => table.put(item(pk, "a"), { absent: { now } })));
    expect(outcomes.filter((outcome) => outcome === "written")).toHaveLength(1);
  });

  test("an item counts as absent for a create from the second it expires, not a second earlier", async () => {
    await table.put(item(pk, "a", { expiresAt: now + 10 }), { absent: { now } });
    expect(await table.put(item(pk, "a"), { absent: { now: now + 9 } })).toBe("refused");
    const next = item(pk, "a");
    expect(await table.put(next, { absent: { now: now + 10 } })).toBe("written");
    expect(await table.get([next])).toEqual([next]);
  });

  test("an item without an end never counts as absent", async () => {
    await table.put(item(pk, "a"), { absent: { now } });
    expect(await table.put(item(pk, "a"), { absent: { now: now * 2 } })).toBe("refused");
  });

  test("replaces exactly the version that was named", async () => {
    await table.put(item(pk, "a", { version: 1 }), { absent: { now } });
    expect(await table.put(item(pk, "a", { version: 3 }), { version: 2 })).toBe("refused");
    const second = item(pk, "a", { version: 2 });
    expect(await table.put(second, { version: 1 })).toBe("written");
    expect(await table.put(item(pk, "a", { version: 2 }), { version: 1 })).toBe("refused");
    expect(await table.get([second])).toEqual([second]);
  });

  test("replaces nothing where nothing is", async () => {
    expect(await table.put(item(pk, "a", { version: 2 }), { version: 1 })).toBe("refused");
    expect(await table.get([{ pk, sk: "a" }])).toEqual([undefined]);
  });

  test("returns expired items too: readers filter", async () => {
    const old = item(pk, "a", { expiresAt: 1 });
    await table.put(old, { absent: { now } });
    expect(await table.get([old])).toEqual([old]);
    expect(await sortKeys({ limit: 10 })).toEqual(["a"]);
  });

  test("lists one partition in the order of its sort keys, both ways", async () => {
    await fill(["c", "a", "b"]);
    await table.put(item(`${pk}-other`, "a"), { absent: { now } });
    expect(await sortKeys({ limit: 10 })).toEqual(["a", "b", "c"]);
    expect(await sortKeys({ limit: 10, newestFirst: true })).toEqual(["c", "b", "a"]);
  });

  test("lists a range with both its ends, or open at either", async () => {
    await fill(["a", "b", "c", "d", "e"]);
    expect(await sortKeys({ from: "b", to: "d", limit: 10 })).toEqual(["b", "c", "d"]);
    expect(await sortKeys({ from: "d", limit: 10 })).toEqual(["d", "e"]);
    expect(await sortKeys({ to: "b", limit: 10 })).toEqual(["a", "b"]);
    expect(await sortKeys({ from: "bb", to: "bz", limit: 10 })).toEqual([]);
    expect(await sortKeys({ from: "b", to: "d", limit: 10, newestFirst: true })).toEqual(["d", "c", "b"]);
  });

  test("stops at the limit and says that there is more; at the end it says that there is none", async () => {
    await fill(["a", "b", "c"]);
    const first = await table.query(pk, { limit: 2 });
    expect(first.items.map(({ sk }) => sk)).toEqual(["a", "b"]);
    expect(first.more).toBe(true);
    const rest = await table.query(pk, { from: "b\u0000", limit: 2 });
    expect(rest.items.map(({ sk }) => sk)).toEqual(["c"]);
    expect(rest.more).toBe(false);
    expect(await table.query(`${pk}-empty`, { limit: 2 })).toEqual({ items: [], more: false });
    expect(await sortKeys({ limit: 2, newestFirst: true })).toEqual(["c", "b"]);
  });
});
