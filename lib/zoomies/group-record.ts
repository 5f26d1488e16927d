import { type Lease, take } from "../ledger/lease.ts";
import { arrival, emptyGroupRecord, type GroupRecord, groupKey, writeGroup } from "../ledger/readings.ts";
import type { Stored, Write } from "../ledger/records.ts";
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

/**
 * Takes a group's lease; undefined while somebody else holds it, and where the group has no record and `create` does not
 * ask for one.
 */
export async function takeGroup(
  parts: DemandParts,
  group: string,
  { create } = { create: false },
): Promise<HeldGroup | undefined> {
  const { records, clock, settings, newToken } = parts;
  const owner = newToken();
  let stored = await records.read<ZoomiesRecord>(groupKey(group));
  while (stored !== undefined || create) {
    const before: ZoomiesRecord = stored?.value ?? emptyGroupRecord;
    const lease = take(before.lease, owner, clock.now(), settings.leaseMs);
    if (lease === undefined) return undefined;
    const written = await writeGroup(records, group, stored, { ...before, lease });
    if (written.outcome === "written") return { name: group, lease, stored: written.stored };
    stored = written.stored;
  }
  return undefined;
}

/**
 * Takes a lease that we hold anew, and with `change` writes what became of the group. What comes back is the record as it
 * stands now, readings that came in meanwhile among it; undefined when the lease went to somebody else.
 */
export async function renewGroup(
  { records, clock, settings }: DemandParts,
  { name, lease: held, stored: known }: HeldGroup,
  change: Partial<ZoomiesRecord> = {},
): Promise<HeldGroup | undefined> {
  let stored: HeldGroup["stored"] | undefined = known;
  while (stored !== undefined) {
    if (stored.value.lease?.owner !== held.owner) return undefined;
    const lease: Lease = { ...held, until: clock.now() + settings.leaseMs };
    const written: Write<ZoomiesRecord> = await writeGroup(records, name, stored, {
      ...stored.value,
      ...change,
      lease,
    });
    if (written.outcome === "written") return { name, lease, stored: written.stored };
    stored = written.stored;
  }
  return undefined;
}
