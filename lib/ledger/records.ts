import type { Clock } from "../edge/clock.ts";
import type { Item, Key, Table } from "./table.ts";

/** A value in the ledger with the version that the next write of it must name. */
export interface Stored<T> {
  readonly value: T;
  readonly version: number;
}

/** What became of a write. After a conflict `stored` is what stands there now, undefined when nothing does. */
export type Write<T> =
  | { readonly outcome: "written"; readonly stored: Stored<T> }
  | { readonly outcome: "conflict"; readonly stored: Stored<T> | undefined };

export interface Lifetime {
  /** How long the item counts from now, in milliseconds; without it the item stays. */
  readonly lifeMs?: number;
}

/**
 * Typed, versioned items (design: the ledger). A failed condition is compared with our own writer token before it counts
 * as a conflict, because the SDK may have repeated a write that had landed (design: rule 5).
 */
export interface Records {
  read<T>(key: Key): Promise<Stored<T> | undefined>;
  readAll<T>(keys: readonly Key[]): Promise<(Stored<T> | undefined)[]>;
  /** Writes where nothing (or only something expired) stands: the unique constraint. */
  create<T>(key: Key, value: T, lifetime?: Lifetime): Promise<Write<T>>;
  /** Writes over exactly the version that was read. */
  replace<T>(key: Key, read: Stored<unknown>, value: T, lifetime?: Lifetime): Promise<Write<T>>;
}

/** `newToken` gives a token unlike any other, for each write anew. */
export function ledgerRecords(table: Table, clock: Clock, newToken: () => string): Records {
  const isLive = (item: Item | undefined): item is Item =>
    item !== undefined && (item.expiresAt === undefined || item.expiresAt * 1000 > clock.now());

  function stored<T>(item: Item | undefined): Stored<T> | undefined {
    return isLive(item) ? { value: JSON.parse(item.body) as T, version: item.version } : undefined;
  }

  async function write<T>(key: Key, value: T, over: number | undefined, { lifeMs }: Lifetime): Promise<Write<T>> {
    const now = clock.now();
    const item: Item = {
      ...key,
      version: (over ?? 0) + 1,
      writer: newToken(),
      body: JSON.stringify(value),
      ...(lifeMs === undefined ? {} : { expiresAt: Math.ceil((now + lifeMs) / 1000) }),
    };
    const condition = over === undefined ? { absent: { now: Math.floor(now / 1000) } } : { version: over };
    if ((await table.put(item, condition)) === "written") {
      return { outcome: "written", stored: { value, version: item.version } };
    }
    const [found] = await table.get([key]);
    if (found?.writer === item.writer) return { outcome: "written", stored: { value, version: item.version } };
    return { outcome: "conflict", stored: stored<T>(found) };
  }

  return {
    read: async <T>(key: Key) => stored<T>((await table.get([key]))[0]),
    readAll: async <T>(keys: readonly Key[]) => (await table.get(keys)).map((item) => stored<T>(item)),
    create: (key, value, lifetime = {}) => write(key, value, undefined, lifetime),
    replace: (key, read, value, lifetime = {}) => write(key, value, read.version, lifetime),
  };
}
