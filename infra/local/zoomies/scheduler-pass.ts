import { type Fleet, freeSlots, type Host, isEligible, type Pool, queuedJobs } from "./fleet.ts";

/** What a pass found out about one pool: the numbers that an event would carry (notes 3). */
export type PoolReading = {
  pool: Pool;
  /** Configured slots of every eligible host, busy or not, shared with other pools or not. */
  currentCapacity: number;
  /** Runner slots missing; undefined when every wanted runner found a place. */
  shortfall: number | undefined;
  /** Slots more than the pool wants while nothing is queued; 0 otherwise. */
  excess: number;
  queuedJobs: number;
  oldestAgeSeconds: number;
};

/** A runner that a pass wants to create. It is created a moment later, whatever became of its host meanwhile. */
export type Placement = { pool: string; host: string };

export type PassPlan = { readings: PoolReading[]; placements: Placement[] };

/** Most runners a pass creates, all pools together (notes 3). */
const CREATE_BUDGET = 10;

/** One scheduler pass: what each pool wants, on which free slots it goes, and what is missing. Changes nothing. */
export function planPass(fleet: Fleet, now: number): PassPlan {
  const placements: Placement[] = [];
  const free = new Map([...fleet.hosts.values()].map((host) => [host.id, freeSlots(fleet, host)]));
  const readings = [...fleet.pools.values()].map((pool) => {
    const queued = queuedJobs(fleet, pool.id);
    const runners = [...fleet.runners.values()].filter((runner) => runner.pool === pool.id);
    const working = runners.filter(({ state }) => state === "busy" || state === "draining").length;
    const wanted = Math.max(pool.minRunners, working + queued.length);
    const desired = pool.enabled ? Math.min(pool.maxRunners, wanted) : 0;
    // The age walks jobs in progress too, as the sender does.
    const ages = [...fleet.jobs.values()].filter((job) => job.pool === pool.id).map((job) => now - job.queuedAt);
    const eligible = [...fleet.hosts.values()].filter((host) => isEligible(host, pool, now));
    const currentCapacity = eligible.reduce((sum, host) => sum + host.capacity, 0);

    let blocked = false;
    for (let missing = desired - runners.length; missing > 0 && placements.length < CREATE_BUDGET; missing -= 1) {
      const host = roomiest(free, eligible);
      if (host === undefined) {
        blocked = true;
        break;
      }
      free.set(host.id, (free.get(host.id) ?? 0) - 1);
      placements.push({ pool: pool.id, host: host.id });
    }
    return {
      pool,
      currentCapacity,
      shortfall: blocked && queued.length > 0 ? Math.max(desired - runners.length, 1) : undefined,
      excess: queued.length === 0 ? Math.max(0, currentCapacity - desired) : 0,
      queuedJobs: queued.length,
      oldestAgeSeconds: queued.length === 0 ? 0 : Math.floor(Math.max(0, ...ages) / 1000),
    };
  });
  return { readings, placements };
}

function roomiest(free: ReadonlyMap<string, number>, hosts: readonly Host[]): Host | undefined {
  let best: Host | undefined;
  for (const host of hosts)
    if ((free.get(host.id) ?? 0) > (best === undefined ? 0 : (free.get(best.id) ?? 0))) best = host;
  return best;
}
