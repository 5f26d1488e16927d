import type { Records } from "../ledger/records.ts";
import type { HostsRecord } from "./host-notes.ts";

/** An operator's wish that one drain be given up. It proves nothing and sends nothing: the next look at the group heeds it. */
export interface CancelWish {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Longer than any look at the group takes to come. */
const keptMs = 24 * 3_600_000;

const keyOf = (group: string, drainKey: string) => ({ pk: `cancel#${group}`, sk: drainKey });

/** Records the wish; a second one for the same drain is the same wish. */
export async function wishCancel(records: Records, group: string, drainKey: string, at: number): Promise<void> {
  await records.create<CancelWish>(keyOf(group, drainKey), { at }, { lifeMs: keptMs });
}

/** Keys of the record's drains that an operator wants given up. */
export async function cancelWishes(
  records: Records,
  group: string,
  { instances }: HostsRecord,
): Promise<ReadonlySet<string>> {
  const keys = Object.values(instances).flatMap(({ drain }) => drain?.key ?? []);
  if (keys.length === 0) return new Set();
  const wishes = await records.readAll<CancelWish>(keys.map((key) => keyOf(group, key)));
  return new Set(keys.filter((_, index) => wishes[index] !== undefined));
}
