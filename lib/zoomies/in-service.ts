import type { Group } from "../capacity/group.ts";
import { errorFields } from "../edge/logger.ts";
import { groupKey } from "../ledger/readings.ts";
import type { Stored } from "../ledger/records.ts";
import type { ZoomiesRecord } from "./group-record.ts";
import type { DemandParts } from "./parts.ts";

/** When the demand behind a raise was made, milliseconds since the epoch: its newest demanding reading, else the raise itself. */
export function demandedAt({ readings }: ZoomiesRecord, now: number): number {
  const times = Object.values(readings).flatMap(({ type, at }) =>
    type === "capacity_demand" && at <= now ? [at] : [],
  );
  return times.length === 0 ? now : Math.max(...times);
}

/** Seconds from a demand to now, when the group is seen for the first time with all that was raised for it in service. */
export function secondsToInService({ lastRaise }: ZoomiesRecord, group: Group, now: number): number | undefined {
  if (lastRaise?.demandedAt === undefined) return undefined;
  const inService = group.instances.filter(({ state }) => state === "InService").length;
  return inService < lastRaise.to ? undefined : Math.max(0, Math.round((now - lastRaise.demandedAt) / 1000));
}

/**
 * Counts each raise whose hosts have all come, once: what stands in the record says whether it was counted. Readings and
 * leases may come in meanwhile; then the next run counts it.
 */
export async function tellInService(
  parts: DemandParts,
  groups: readonly Group[],
  records: readonly (Stored<ZoomiesRecord> | undefined)[],
): Promise<void> {
  for (const [index, group] of groups.entries()) {
    const stored = records[index];
    const seconds = stored && secondsToInService(stored.value, group, parts.clock.now());
    if (stored?.value.lastRaise === undefined || seconds === undefined) continue;
    const { demandedAt: _counted, ...lastRaise } = stored.value.lastRaise;
    const value = { ...stored.value, lastRaise };
    const written = await parts.records.replace(groupKey(group.name), stored, value).catch((error: unknown) => {
      // Counting keeps no group from what it needs.
      parts.logger.log("warn", "in service not counted", { fleet: group.name, ...errorFields(error) });
    });
    if (written?.outcome === "written") parts.metrics.count("TimeToInService", seconds, { Fleet: group.name });
  }
}
