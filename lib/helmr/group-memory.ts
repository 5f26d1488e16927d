import type { Records, Stored } from "../ledger/records.ts";

/** A raise of which Describe may not tell yet. `sent` stands there before it leaves, so that a crash cannot hide it. */
export interface LastRaise {
  readonly to: number;
  readonly at: number;
  readonly outcome: "sent" | "accepted" | "unknown" | "refused";
  /** All that it asked for was seen active. */
  readonly inService?: true;
}

export interface PoolMemory {
  /** Since when the pool has had nothing to do, and when that was last seen, to the minute. */
  readonly idleSince?: number;
  readonly idleSeenAt?: number;
  readonly lastRaise?: LastRaise;
  /** Since when a place of desired capacity has had no instance. */
  readonly missingSince?: number;
}

/** An instance that was seen in one of the Worker group's Auto Scaling groups, until its end is settled. */
export interface SeenInstance {
  /** The Auto Scaling group; empty for an instance that only a host's row named. */
  readonly group: string;
  readonly since: number;
  /** Since when it has been in the group without an active host; absent once it had one. */
  readonly notReadySince?: number;
  /** The first of the two looks that confirm its absence. */
  readonly goneSince?: number;
}

/** What a Worker group's reconciler knows besides what it sees. One ledger item a group, written by the lease's holder. */
export interface GroupMemory {
  readonly pools: Readonly<Record<string, PoolMemory>>;
  readonly seen: Readonly<Record<string, SeenInstance>>;
  /** Keys of the operations that are not finished, written before an operation is. */
  readonly open: readonly string[];
  readonly scaleInRefusedAt?: number;
  /** What was decided last, by subject, so that the trail gets a line only when that changes. */
  readonly said: Readonly<Record<string, string>>;
}

const empty: GroupMemory = { pools: {}, seen: {}, open: [], said: {} };
const keyOf = (workerGroup: string) => ({ pk: `helmr-group#${workerGroup}`, sk: "memory" });

/** The memory was written by somebody else: the lease is no longer ours. */
export class MemoryTaken extends Error {
  override readonly name = "MemoryTaken";
}

export interface MemoryKeeper {
  readonly value: GroupMemory;
  /** Writes the change, if it is one. Throws {@link MemoryTaken}. */
  save(change: Partial<GroupMemory>): Promise<void>;
}

export async function readMemory(records: Records, workerGroup: string): Promise<MemoryKeeper> {
  const key = keyOf(workerGroup);
  let stored: Stored<GroupMemory> | undefined = await records.read<GroupMemory>(key);
  let value = stored?.value ?? empty;
  return {
    get value() {
      return value;
    },
    async save(change) {
      const next = { ...value, ...change };
      if (JSON.stringify(next) === JSON.stringify(value)) return;
      const written = stored === undefined ? await records.create(key, next) : await records.replace(key, stored, next);
      if (written.outcome !== "written") throw new MemoryTaken("Another writer has taken over this Worker group.");
      stored = written.stored;
      value = next;
    },
  };
}
