import type { GroupMemory, PoolMemory } from "./group-memory.ts";
import { hasNothingToDo, idleClock } from "./idle-clock.ts";
import type { Observation } from "./observation.ts";
import type { Plan } from "./protocol.ts";

/** The pools' memory after a look. A plan that is advisory only can stop an idle clock and not start one. */
export function poolsAfter(
  before: GroupMemory["pools"],
  observation: Observation,
  plan: Plan | undefined,
  advisory: readonly string[],
): GroupMemory["pools"] {
  const pools: Record<string, PoolMemory> = {};
  for (const { fleet, pool, missing } of observation.pools) {
    const row = plan?.pools.find(({ pool_id: id }) => id === pool.id);
    const isIdle = plan === undefined || row === undefined ? undefined : hasNothingToDo(plan, row);
    const known = isIdle === true && advisory.length > 0 ? undefined : isIdle;
    const { missingSince = observation.observedAt, ...rest } = before[fleet.group] ?? {};
    const waiting = missing > 0 ? { ...rest, missingSince } : rest;
    pools[fleet.group] = idleClock(waiting, known, observation.observedAt);
  }
  return pools;
}
