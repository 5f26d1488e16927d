import { goTimestamp } from "../event.ts";
import {
  type Fleet,
  freeSlots,
  type Host,
  isHealthy,
  type Job,
  type Pool,
  queuedJobs,
  type Runner,
  runnersOn,
} from "../fleet.ts";
import { isUsable, type JoinToken } from "../join-tokens.ts";

const time = (ms: number | undefined): string | null => (ms === undefined ? null : goTimestamp(ms));

/** A host as the API shows it (notes 4). */
export function hostRow(fleet: Fleet, host: Host, now: number) {
  const active = runnersOn(fleet, host.id).length;
  return {
    id: host.id,
    name: host.name,
    address: "10.0.0.1",
    embedded: host.embedded,
    connection: "direct",
    capacity: host.capacity,
    effective_capacity: host.capacity,
    active_runners: active,
    free: freeSlots(fleet, host),
    backends: [host.backend],
    labels: host.labels,
    // Left out where the agent did not say.
    ...(host.os === undefined ? {} : { os: host.os }),
    ...(host.arch === undefined ? {} : { arch: host.arch }),
    cordoned: host.cordoned,
    healthy: isHealthy(host, now),
    incompatible: host.incompatible,
    admission_reason: "",
    last_heartbeat: time(host.silentSince ?? now),
    created_at: time(host.createdAt),
    version: "1.0.0",
  };
}

export function runnerRow(runner: Runner) {
  return {
    id: runner.id,
    name: runner.id,
    pool_id: runner.pool,
    host_id: runner.host,
    state: runner.state,
    created_at: time(runner.createdAt),
  };
}

export function poolRow(fleet: Fleet, pool: Pool) {
  const counts = { provisioning: 0, registering: 0, idle: 0, busy: 0, draining: 0 };
  for (const runner of fleet.runners.values()) {
    if (runner.pool === pool.id && runner.state !== "removed" && runner.state !== "failed") counts[runner.state] += 1;
  }
  return {
    id: pool.id,
    name: pool.name,
    enabled: pool.enabled,
    backend: pool.backend,
    host_selector: pool.selector,
    min_runners: pool.minRunners,
    max_runners: pool.maxRunners,
    counts,
    queued_jobs: queuedJobs(fleet, pool.id).length,
  };
}

export function jobRow(job: Job) {
  return {
    id: job.id,
    pool_id: job.pool,
    state: job.startedAt === undefined ? "queued" : "in_progress",
    queued_at: time(job.queuedAt),
    started_at: time(job.startedAt),
  };
}

/** A token's metadata; its text is in the answer to its mint only (notes 5). */
export function joinTokenRow(token: JoinToken, now: number) {
  return {
    id: token.id,
    prefix: token.secret.slice(0, 12),
    capacity: token.capacity,
    labels: token.labels,
    created_at: time(token.createdAt),
    expires_at: time(token.expiresAt),
    used_at: time(token.usedAt),
    used_by_id: token.usedBy ?? "",
    usable: isUsable(token, now),
  };
}
