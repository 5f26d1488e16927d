import type { ZoomiesFleet } from "../capacity/group-fleet.ts";

/**
 * Which group served a pool when Drover last looked, so that an event can take that group's lease before its one
 * Describe. It may be out of date: it is good enough to accept an event by, never to refuse one.
 */
export interface KnownPool {
  /** Absent once a look found no group that serves the pool. */
  readonly fleet?: ZoomiesFleet;
}

export const poolKey = (poolId: string) => ({ pk: `pool#${poolId}`, sk: "directory" });
