/** A pool of runners as an operator declares it. */
export type Pool = {
  id: string;
  name: string;
  selector: Readonly<Record<string, string>>;
  backend: string;
  minRunners: number;
  maxRunners: number;
};

/** A machine that joined, with what it offers. `os` and `arch` are among its labels, as selectors ask for them alike. */
export type Host = {
  id: string;
  name: string;
  capacity: number;
  labels: Readonly<Record<string, string>>;
  backend: string;
  cordoned: boolean;
  /** When its heartbeats ended; undefined while they come. */
  silentSince: number | undefined;
};

/** One ephemeral runner on a host: idle until it takes a job, gone when the job ends. */
type Runner = { id: string; pool: string; host: string; job: string | undefined };

type Job = {
  id: string;
  pool: string;
  queuedAt: number;
  /** How long it runs once it has a runner. */
  durationMs: number;
  startedAt: number | undefined;
};

/** What a controller knows. */
export type Fleet = {
  pools: Map<string, Pool>;
  hosts: Map<string, Host>;
  runners: Map<string, Runner>;
  jobs: Map<string, Job>;
};

/** A host silent for so long counts for nothing (notes 3). */
const HEALTHY_MS = 90_000;

/** Whether a host could run a pool's jobs: healthy, not cordoned, the pool's backend, and an answer for every selector key. */
export function isEligible(host: Host, pool: Pool, now: number): boolean {
  if (host.cordoned || host.backend !== pool.backend) return false;
  if (host.silentSince !== undefined && now - host.silentSince >= HEALTHY_MS) return false;
  return Object.entries(pool.selector).every(([key, value]) => host.labels[key] === value);
}

/** Slots of a host that no runner of any pool holds. */
export function freeSlots(fleet: Fleet, host: Host): number {
  let held = 0;
  for (const runner of fleet.runners.values()) if (runner.host === host.id) held += 1;
  return Math.max(0, host.capacity - held);
}
