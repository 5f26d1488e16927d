import { endRunner, type Fleet, type Host, runnersOn } from "./fleet.ts";
import type { JobEnd } from "./job-end.ts";

/** A host silent for so long is presumed gone: its runners are failed and their jobs lost (notes 4). */
const LOST_MS = 300_000;

/** Everything that happens by itself up to `now`: runners start, jobs end, drained runners go, silent hosts are given up. */
export function advance(fleet: Fleet, now: number, ended: (end: JobEnd) => void): void {
  for (const runner of fleet.runners.values()) {
    const host = fleet.hosts.get(runner.host);
    const silentSince = host?.silentSince;
    const isSilent = silentSince !== undefined;
    if (isSilent && now - silentSince >= LOST_MS) {
      cut(fleet, runner.job, host, silentSince + LOST_MS, "presumed lost", ended);
      endRunner(fleet, runner, "failed");
      continue;
    }
    const job = runner.job === undefined ? undefined : fleet.jobs.get(runner.job);
    if (job?.startedAt !== undefined && now - job.startedAt >= job.durationMs) {
      fleet.jobs.delete(job.id);
      ended({ job, host: host?.name ?? "", at: job.startedAt + job.durationMs, how: "done" });
      endRunner(fleet, runner, "removed");
    } else if (runner.goesAt !== undefined && now >= runner.goesAt) {
      cut(fleet, runner.job, host, runner.goesAt, "drained away", ended);
      endRunner(fleet, runner, "removed");
    } else if (!isSilent && runner.state === "provisioning" && now >= (runner.createdAt + runner.readyAt) / 2) {
      runner.state = now >= runner.readyAt ? "idle" : "registering";
    } else if (!isSilent && runner.state === "registering" && now >= runner.readyAt) {
      runner.state = "idle";
    }
  }
}

/** The machine is no more: what runs on it ends now, though the controller does not know it yet. */
export function endMachine(fleet: Fleet, host: Host, now: number, by: string, ended: (end: JobEnd) => void): void {
  host.silentSince ??= now;
  for (const runner of runnersOn(fleet, host.id)) {
    cut(fleet, runner.job, host, now, by, ended);
    runner.job = undefined;
  }
}

function cut(
  fleet: Fleet,
  jobId: string | undefined,
  host: Host | undefined,
  at: number,
  how: string,
  ended: (end: JobEnd) => void,
): void {
  const job = jobId === undefined ? undefined : fleet.jobs.get(jobId);
  if (job === undefined) return;
  fleet.jobs.delete(job.id);
  ended({ job, host: host?.name ?? "", at, how });
}

/**
 * GitHub hands queued jobs to idle runners, at any time and whether or not their host is cordoned: only the runner counts
 * (notes 3, trap 8).
 */
export function handOut(fleet: Fleet, now: number, pool?: string): void {
  for (const runner of fleet.runners.values()) {
    if (runner.state !== "idle" || (pool !== undefined && runner.pool !== pool)) continue;
    const host = fleet.hosts.get(runner.host);
    if (host === undefined || host.silentSince !== undefined) continue;
    const job = [...fleet.jobs.values()].find((each) => each.pool === runner.pool && each.startedAt === undefined);
    if (job === undefined) continue;
    runner.state = "busy";
    runner.job = job.id;
    job.startedAt = now;
  }
}
