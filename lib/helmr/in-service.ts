import type { PoolMemory } from "./group-memory.ts";
import type { ObservedPool } from "./observation.ts";

/** A raise all of whose hosts have come: the pool's memory with that noted, and how long it took in seconds. */
export interface Arrived {
  readonly group: string;
  readonly seconds: number;
  readonly memory: PoolMemory;
}

/**
 * Raises that were not refused and whose hosts are all active now, each once. Helmr's recommendation carries no time of its own, so
 * that the clock starts with the raise, which follows it within a cycle.
 */
export function arrivals(
  pools: readonly ObservedPool[],
  memory: Readonly<Record<string, PoolMemory>>,
  now: number,
): Arrived[] {
  return pools.flatMap(({ group, count }) => {
    const known = memory[group.name];
    const raise = known?.lastRaise;
    if (known === undefined || raise === undefined || raise.outcome === "refused") return [];
    if (raise.inService || count.active < raise.to) return [];
    const seconds = Math.max(0, Math.round((now - raise.at) / 1000));
    return [{ group: group.name, seconds, memory: { ...known, lastRaise: { ...raise, inService: true } } }];
  });
}
