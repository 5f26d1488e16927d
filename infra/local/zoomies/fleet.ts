import type { JoinToken } from "./join-tokens.ts";

/** A pool of runners as an operator declares it. */
export type Pool = {
  id: string;
  name: string;
  selector: Readonly<Record<string, string>>;
  backend: string;
  minRunners: number;
  maxRunners: number;
  enabled: boolean;
};

/** A machine that joined, with what its agent offers. */
export type Host = {
  id: string;
  /** Unique among hosts. */
  name: string;
  capacity: number;
  labels: Readonly<Record<string, string>>;
  backend: string;
  /** By the agent's own report. */
  os: string | undefined;
  arch: string | undefined;
  /** Runs inside the controller. */
  embedded: boolean;
  /** Speaks another agent protocol than the controller. */
  incompatible: boolean;
  cordoned: boolean;
  createdAt: number;
  /** When its heartbeats ended; undefined while they come. */
  silentSince: number | undefined;
};

export type RunnerState = "provisioning" | "registering" | "idle" | "busy" | "draining" | "removed" | "failed";

/** One ephemeral runner on a host: idle until it takes a job, gone when the job ends. */
export type Runner = {
  id: string;
  pool: string;
  host: string;
  state: RunnerState;
  job: string | undefined;
  createdAt: number;
  /** When it has started and is registered with GitHub. */
  readyAt: number;
  /** When a drained one is gone. */
  goesAt: number | undefined;
};

export type Job = {
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
  /** Runners that are not removed or failed. */
  runners: Map<string, Runner>;
  /** The newest of those that are. */
  endedRunners: Runner[];
  jobs: Map<string, Job>;
  joinTokens: Map<string, JoinToken>;
};

export const emptyFleet = (): Fleet => ({
  pools: new Map(),
  hosts: new Map(),
  runners: new Map(),
  endedRunners: [],
  jobs: new Map(),
  joinTokens: new Map(),
});

/** A host silent for so long counts for nothing (notes 3). */
const HEALTHY_MS = 90_000;

export const isHealthy = (host: Host, now: number): boolean =>
  host.silentSince === undefined || now - host.silentSince < HEALTHY_MS;

/** What a host answers for a selector key: os and arch by its agent's report, everything else by its labels (notes 1). */
function answerOf(host: Host, key: string): string | undefined {
  if (key === "os") return host.os;
  return key === "arch" ? host.arch : host.labels[key];
}

/** Whether a host could run a pool's jobs: healthy, not cordoned, the pool's backend, and an answer for every selector key. */
export function isEligible(host: Host, pool: Pool, now: number): boolean {
  if (host.cordoned || host.incompatible || host.backend !== pool.backend || !isHealthy(host, now)) return false;
  return Object.entries(pool.selector).every(([key, value]) => answerOf(host, key) === value);
}

/** Live runners of any pool on a host. */
export const runnersOn = (fleet: Fleet, host: string): Runner[] =>
  [...fleet.runners.values()].filter((runner) => runner.host === host);

/** Slots of a host that no runner of any pool holds. */
export function freeSlots(fleet: Fleet, host: Host): number {
  return Math.max(0, host.capacity - runnersOn(fleet, host.id).length);
}

export const queuedJobs = (fleet: Fleet, pool: string): Job[] =>
  [...fleet.jobs.values()].filter((job) => job.pool === pool && job.startedAt === undefined);

/** Most ended runners that are remembered. */
const MOST_ENDED = 200;

export function endRunner(fleet: Fleet, runner: Runner, state: "removed" | "failed"): void {
  fleet.runners.delete(runner.id);
  runner.state = state;
  fleet.endedRunners.push(runner);
  if (fleet.endedRunners.length > MOST_ENDED) fleet.endedRunners.shift();
}
