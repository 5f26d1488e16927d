import { type Lease, take } from "../ledger/lease.ts";
import { arrival, emptyGroupRecord, type GroupRecord, groupKey, writeGroup } from "../ledger/readings.ts";
import type { Stored } from "../ledger/records.ts";
import type { DemandParts } from "./parts.ts";
import type { PoolReading } from "./reading.ts";

export type ZoomiesRecord = GroupRecord<PoolReading>;

/** A group whose lease we hold, with its record as we last wrote it. */
export interface HeldGroup {
  readonly name: string;
  readonly lease: Lease;
  readonly stored: Stored<ZoomiesRecord>;
}

/** Readings this old order nothing any more: whatever could come late would be outside the replay window. */
const forgottenMs = 24 * 3_600_000;

export type RecordedReading =
  /** Durable now. `held` when we also got the group's lease; otherwise its holder or the minute run goes on from here. */
  | { readonly outcome: "recorded"; readonly held: HeldGroup | undefined }
  | { readonly outcome: "duplicate" | "superseded" };

/**
 * Makes a reading durable as its pool's newest, and takes the group's lease in the same write when it is free and
 * `toAct`. Writers that meet here each see the other's reading and go on, whichever comes first.
 */
export async function recordReading(
  parts: DemandParts,
  group: string,
  poolId: string,
  reading: PoolReading,
  toAct: boolean,
): Promise<RecordedReading> {
  const { records, clock, settings, newToken } = parts;
  // One owner for every try, so that a write which landed unheard does not lock its own next try out.
  const owner = newToken();
  let stored = await records.read<ZoomiesRecord>(groupKey(group));
  for (;;) {
    const before: ZoomiesRecord = stored?.value ?? emptyGroupRecord;
    const known = Object.hasOwn(before.readings, poolId) ? before.readings[poolId] : undefined;
    const arrived = arrival(known, reading);
    if (arrived !== "newer") return { outcome: arrived === "same" ? "duplicate" : "superseded" };

    const now = clock.now();
    const lease = toAct ? take(before.lease, owner, now, settings.leaseMs) : undefined;
    const kept = Object.entries(before.readings).filter(([, { at }]) => now - at < forgottenMs);
    const value: ZoomiesRecord = {
      ...before,
      ...(lease === undefined ? {} : { lease }),
      readings: Object.fromEntries([...kept, [poolId, reading]]),
      pending: before.pending || reading.type === "capacity_demand",
    };
    const written = await writeGroup(records, group, stored, value);
    if (written.outcome === "written") {
      const held = lease === undefined ? undefined : { name: group, lease, stored: written.stored };
      return { outcome: "recorded", held };
    }
    stored = written.stored;
  }
}

/** Takes the lease of a group that has a record; undefined when it has none or somebody else holds it. */
export async function takeGroup(parts: DemandParts, group: string): Promise<HeldGroup | undefined> {
  const { records, clock, settings, newToken } = parts;
  const owner = newToken();
  let stored = await records.read<ZoomiesRecord>(groupKey(group));
  while (stored !== undefined) {
    const lease = take(stored.value.lease, owner, clock.now(), settings.leaseMs);
    if (lease === undefined) return undefined;
    const written = await writeGroup(records, group, stored, { ...stored.value, lease });
    if (written.outcome === "written") return { name: group, lease, stored: written.stored };
    stored = written.stored;
  }
  return undefined;
}
