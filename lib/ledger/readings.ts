import type { Lease } from "./lease.ts";
import type { Records, Stored, Write } from "./records.ts";

/** What every reading has, whatever its protocol: an order among its pool's readings, and the event that brought it. */
export interface AnyReading {
  /** Timestamp with nine fraction digits, then event id: compares as text (design: the ledger). */
  readonly order: string;
  readonly eventId: string;
}

/** The last raise that this group was sent, so that a describe that lags behind it is not taken for the truth. */
export interface LastRaise {
  readonly to: number;
  readonly at: number;
  /** Nobody answered: it may have landed, or land yet. */
  readonly unanswered?: true;
  /** When its demand was made; gone once all of it was seen in service. */
  readonly demandedAt?: number;
}

/**
 * One item a group: each pool's newest reading, and the right to act on them. The lease lives in the same item because a
 * holder must see, in the write that lets go, whether a reading came in meanwhile (design: one writer at a time).
 */
export interface GroupRecord<R extends AnyReading> {
  readonly readings: Readonly<Record<string, R>>;
  /** Whether a reading is recorded that the group does not satisfy yet. */
  readonly pending: boolean;
  readonly lease?: Lease;
  readonly lastRaise?: LastRaise;
  /** Why the group is not raised, and until when: what it launches does not come to life. */
  readonly raiseStop?: { readonly reason: string; readonly until: number };
  /** What was decided last, in short, so that the trail gets a line only when that changes. */
  readonly decided?: string;
}

export const emptyGroupRecord: GroupRecord<never> = { readings: {}, pending: false };

export const groupKey = (group: string) => ({ pk: `group#${group}`, sk: "record" });

export type Arrival = "newer" | "same" | "older";

/** Readings are ordered by the sender's time, never by arrival: senders retry and overlap (zoomies-notes 2). */
export function arrival(known: AnyReading | undefined, incoming: AnyReading): Arrival {
  if (known === undefined || known.order < incoming.order) return "newer";
  return known.order === incoming.order ? "same" : "older";
}

/** Writes a group's record over what was read of it, or for the first time. */
export function writeGroup<R extends AnyReading>(
  records: Records,
  group: string,
  read: Stored<GroupRecord<R>> | undefined,
  value: GroupRecord<R>,
): Promise<Write<GroupRecord<R>>> {
  const key = groupKey(group);
  return read === undefined ? records.create(key, value) : records.replace(key, read, value);
}
