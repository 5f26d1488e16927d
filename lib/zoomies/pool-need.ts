import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { Pool } from "./api.ts";
import type { ZoomiesView } from "./host-observation.ts";

export interface PoolNeed {
  /** Slots that the group's pools need now, hosts outside the group included. */
  readonly slots: number;
  /** A pool with jobs that wait for a runner which it may still have. */
  readonly waiting: string | undefined;
  /** Pools that the group is tagged for and Zoomies does not know. */
  readonly missing: readonly string[];
}

const liveRunners = ({ counts }: Pool): number =>
  counts.provisioning + counts.registering + counts.idle + counts.busy + counts.draining;

/** Runners that Zoomies wants of a pool: what works and what waits, within its bounds; max wins (zoomies-notes 3). */
export function wantedRunners(pool: Pool): number {
  if (!pool.enabled) return pool.counts.busy + pool.counts.draining;
  const work = pool.counts.busy + pool.counts.draining + pool.queued_jobs;
  const wanted = Math.min(Math.max(pool.min_runners, work), pool.max_runners);
  // More may run than max allows, after it was lowered: what runs is needed all the same.
  return Math.max(wanted, pool.counts.busy + pool.counts.draining);
}

/**
 * What the hosts of one group are needed for, from Zoomies' own report. Pools on shared hosts are summed, as their runners
 * share the slots (zoomies-notes 3, trap 1); runners of pools without a tag here count where they are.
 */
export function poolNeed(fleet: ZoomiesFleet, view: ZoomiesView, hostIds: ReadonlySet<string>): PoolNeed {
  const byId = new Map(view.pools.map((pool) => [pool.id, pool]));
  const served = fleet.pools.flatMap((id) => byId.get(id) ?? []);
  const tagged = new Set(fleet.pools);
  const strangers = view.runners.filter(({ host_id, pool_id }) => hostIds.has(host_id) && !tagged.has(pool_id));
  const waiting = served.find(
    (pool) => pool.enabled && pool.queued_jobs > 0 && wantedRunners(pool) > liveRunners(pool),
  );
  return {
    slots: served.reduce((sum, pool) => sum + wantedRunners(pool), 0) + strangers.length,
    waiting: waiting?.id,
    missing: fleet.pools.filter((id) => !byId.has(id)),
  };
}
