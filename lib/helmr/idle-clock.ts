import type { PoolMemory } from "./group-memory.ts";
import type { Plan, PoolPlan } from "./protocol.ts";

/** Longer without a look than this, and nobody knows what the pool did meanwhile. */
const longestGapMs = 180_000;
const minuteMs = 60_000;

/** Whether a whole plan shows that the pool has nothing to do (invariant 15). */
export function hasNothingToDo(plan: Plan, row: PoolPlan): boolean {
  return (
    plan.complete &&
    plan.unmatched_demand.length === 0 &&
    row.complete &&
    !row.saturated &&
    !row.scale_in_blocked &&
    row.compatible_queued_items === 0 &&
    row.recommended_additional_workers === 0
  );
}

/**
 * The pool's idle clock after this look; `isIdle` is undefined where the look could not tell. It is kept in the ledger, so
 * that an invocation does not start it anew, and confirmed to the minute, so that a long silence does.
 */
export function idleClock(before: PoolMemory, isIdle: boolean | undefined, now: number): PoolMemory {
  const { idleSince, idleSeenAt, ...rest } = before;
  if (isIdle === false) return rest;
  const isBroken = idleSince !== undefined && now - (idleSeenAt ?? idleSince) > longestGapMs;
  if (isIdle === undefined) return isBroken ? rest : before;
  if (idleSince === undefined || isBroken) return { ...rest, idleSince: now, idleSeenAt: now };
  const seen = idleSeenAt === undefined || now - idleSeenAt >= minuteMs ? now : idleSeenAt;
  return { ...rest, idleSince, idleSeenAt: seen };
}
