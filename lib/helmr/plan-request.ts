import type { Observation, ObservedPool } from "./observation.ts";
import type { Plan, PlanRequest } from "./protocol.ts";

/** The most pools that one plan covers (the contract). */
const mostPools = 64;

export const isPlanned = ({ pool }: ObservedPool): boolean => pool.status === "active";

/**
 * What Helmr is asked: every active pool, those without headroom too (invariant 12), with the fingerprint of this cycle's
 * own resolve. Undefined when no pool is active, or more than a plan covers.
 */
export function planRequest({ workerGroup, observedAt, pools }: Observation): PlanRequest | undefined {
  const planned = pools.filter(isPlanned);
  if (planned.length === 0 || planned.length > mostPools) return undefined;
  return {
    expected_supply_fingerprint: workerGroup.supply_fingerprint,
    observed_at: new Date(observedAt).toISOString(),
    pools: planned.map(({ pool, headroom, activeRows, registeringRows }) => ({
      pool_id: pool.id,
      max_additional_workers: headroom,
      active_workers: activeRows,
      registering_workers: registeringRows,
    })),
  };
}

/**
 * What keeps the plan from being evidence and from permitting a scale-in, in short; empty when it is whole (invariants 12,
 * 14, 16). A list that was cut off counts as complete only while what is known of our own instances equals the plan's
 * counts in every pool.
 */
export function advisoryReasons(observation: Observation, plan: Plan): string[] {
  const reasons: string[] = [];
  if (!observation.isWhole) reasons.push("a tagged Auto Scaling group is not in the plan");
  if (observation.inconsistent) reasons.push("the Worker inventory contradicts itself");
  const rows = new Map(plan.pools.map((row) => [row.pool_id, row]));
  for (const { pool, activeRows, registeringRows } of observation.pools.filter(isPlanned)) {
    const row = rows.get(pool.id);
    if (row === undefined) reasons.push(`${pool.name} is missing in the plan`);
    else if (row.active_workers !== activeRows || row.registering_workers !== registeringRows) {
      reasons.push(`counts of ${pool.name} differ from the inventory`);
    }
  }
  if (plan.pools.length > observation.pools.filter(isPlanned).length)
    reasons.push("the plan has a pool that is not ours");
  return reasons;
}
