import type { Records, Stored, Write } from "../ledger/records.ts";

/**
 * What the ledger keeps of one instance's joining: ids of tokens, never a token. `mintingUntil` is the lease of the ask
 * that mints now; `closed` means that no ask may mint any more.
 */
export interface JoinRecord {
  readonly group: string;
  readonly instance: string;
  readonly firstAskedAt: number;
  /** Ids of tokens that were minted and not revoked, the newest last. */
  readonly tokens: readonly string[];
  readonly mintingBy?: string;
  readonly mintingUntil?: number;
  readonly closed?: boolean;
}

/** Longer than any instance waits to join, and than any launch hook lasts. */
const keptMs = 30 * 24 * 3_600_000;

export const joinKey = (instance: string) => ({ pk: `join#${instance}`, sk: "record" });

export function writeJoin(
  records: Records,
  read: Stored<JoinRecord> | undefined,
  value: JoinRecord,
): Promise<Write<JoinRecord>> {
  const key = joinKey(value.instance);
  const life = { lifeMs: keptMs };
  return read === undefined ? records.create(key, value, life) : records.replace(key, read, value, life);
}
