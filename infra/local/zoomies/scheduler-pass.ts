import { type Fleet, freeSlots, type Host, isEligible, type Pool } from "./fleet.ts";

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

/** Most runners a pass creates, all pools together (notes 3). */
const CREATE_BUDGET = 10;

/**
 * One scheduler pass: ends jobs that are through, lets idle runners take queued jobs, creates wanted runners on free
 * slots, and reads each pool. `newId` names the runners.
 */
export function schedulerPass(fleet: Fleet, now: number, newId: () => string): PoolReading[] {
  endFinishedJobs(fleet, now);
  let budget = CREATE_BUDGET;
  return [...fleet.pools.values()].map((pool) => {
    assignIdleRunners(fleet, pool, now);
    const queued = [...fleet.jobs.values()].filter((job) => job.pool === pool.id && job.startedAt === undefined);
    const runners = [...fleet.runners.values()].filter((runner) => runner.pool === pool.id);
    const busy = runners.filter((runner) => runner.job !== undefined).length;
    const desired = Math.min(pool.maxRunners, Math.max(pool.minRunners, busy + queued.length));
    // The age walks jobs in progress too, as the sender does.
    const ages = [...fleet.jobs.values()].filter((job) => job.pool === pool.id).map((job) => now - job.queuedAt);
    const eligible = [...fleet.hosts.values()].filter((host) => isEligible(host, pool, now));
    const currentCapacity = eligible.reduce((sum, host) => sum + host.capacity, 0);

    let blocked = false;
    for (let wanted = desired - runners.length; wanted > 0 && budget > 0; wanted -= 1) {
      const host = roomiest(fleet, eligible);
      if (host === undefined) {
        blocked = true;
        break;
      }
      const id = newId();
      fleet.runners.set(id, { id, pool: pool.id, host: host.id, job: undefined });
      budget -= 1;
    }
    assignIdleRunners(fleet, pool, now);
    return {
      pool,
      currentCapacity,
      shortfall: blocked && queued.length > 0 ? Math.max(desired - runners.length, 1) : undefined,
      excess: queued.length === 0 ? Math.max(0, currentCapacity - desired) : 0,
      queuedJobs: queued.length,
      oldestAgeSeconds: queued.length === 0 ? 0 : Math.floor(Math.max(0, ...ages) / 1000),
    };
  });
}

function endFinishedJobs(fleet: Fleet, now: number): void {
  for (const runner of fleet.runners.values()) {
    const job = runner.job === undefined ? undefined : fleet.jobs.get(runner.job);
    if (job?.startedAt === undefined || now - job.startedAt < job.durationMs) continue;
    fleet.jobs.delete(job.id);
    fleet.runners.delete(runner.id);
  }
}

function assignIdleRunners(fleet: Fleet, pool: Pool, now: number): void {
  const queued = [...fleet.jobs.values()].filter((job) => job.pool === pool.id && job.startedAt === undefined);
  for (const runner of fleet.runners.values()) {
    if (runner.pool !== pool.id || runner.job !== undefined) continue;
    const job = queued.shift();
    if (job === undefined) return;
    runner.job = job.id;
    job.startedAt = now;
  }
}

function roomiest(fleet: Fleet, hosts: readonly Host[]): Host | undefined {
  let best: { host: Host; free: number } | undefined;
  for (const host of hosts) {
    const free = freeSlots(fleet, host);
    if (free > 0 && free > (best?.free ?? 0)) best = { host, free };
  }
  return best?.host;
}
