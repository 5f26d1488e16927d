import type { Records, Stored, Write } from "./records.ts";
import type { Key } from "./table.ts";

/**
 * Records for a dry run: what is written stays here and never reaches the table, and what was read once stays as it was
 * read, so that a writer at work beside it is no conflict. An item's lifetime is not looked at: a dry run is short.
 */
export function dryRecords(records: Pick<Records, "read">): Records {
  const known = new Map<string, Stored<unknown> | undefined>();
  const nameOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

  async function read<T>(key: Key): Promise<Stored<T> | undefined> {
    const name = nameOf(key);
    if (!known.has(name)) known.set(name, await records.read(key));
    return known.get(name) as Stored<T> | undefined;
  }

  async function write<T>(key: Key, value: T, over: number | undefined): Promise<Write<T>> {
    const before = await read<T>(key);
    if (before?.version !== over) return { outcome: "conflict", stored: before };
    const stored: Stored<T> = { value, version: (over ?? 0) + 1 };
    known.set(nameOf(key), stored);
    return { outcome: "written", stored };
  }

  return {
    read,
    readAll: <T>(keys: readonly Key[]) => Promise.all(keys.map((key) => read<T>(key))),
    create: (key, value) => write(key, value, undefined),
    replace: (key, { version }, value) => write(key, value, version),
  };
}
