/** Where an item lives. Every item is addressed by both parts; only the trail and operations are ever listed by `pk`. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** One item as the table holds it. `body` is JSON; the attributes beside it are what conditions and TTL need. */
export interface Item extends Key {
  readonly version: number;
  /** Who wrote this version: a token made for one write, so that a write whose reply was lost is known as our own. */
  readonly writer: string;
  readonly body: string;
  /** Seconds since the epoch after which the item counts as absent, whether or not TTL has removed it yet. */
  readonly expiresAt?: number;
}

/** What must be true of the stored item for a put to happen. `absent` includes expired at `now` (seconds). */
export type Condition = { readonly absent: { readonly now: number } } | { readonly version: number };

export interface Range {
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

/**
 * The ledger's table (design: the ledger): strongly consistent reads, single-item conditional writes, nothing else.
 * Expired items may still be returned; {@link Item.expiresAt} says so and readers filter.
 */
export interface Table {
  get(keys: readonly Key[]): Promise<(Item | undefined)[]>;
  put(item: Item, condition: Condition): Promise<"written" | "refused">;
  query(pk: string, range: Range): Promise<{ items: Item[]; more: boolean }>;
}

/** Raised when the ledger could not be reached or refused for want of capacity: nothing is known about the write. */
export class LedgerUnavailable extends Error {
  override readonly name = "LedgerUnavailable";
}
