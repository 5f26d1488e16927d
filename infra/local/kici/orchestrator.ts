import { type Claimed, claims } from "./claims.ts";
import { type Dispatch, dispatch } from "./dispatch.ts";
import {
  type KiciEvent,
  labelsOf,
  newAgentId,
  newRequestId,
  type ScaleDownReason,
  type ScaleUpPayload,
} from "./events.ts";
import { type KiciTimers, realTimers } from "./timers.ts";

export type OrchestratorSettings = {
  scaler: string;
  orchestratorUrl: string;
  timers?: Partial<KiciTimers>;
};

export type OrchestratorParts = {
  now(): number;
  after(ms: number, run: () => void): void;
  random(): number;
  /** The user's workflow: one run for one event. */
  run(event: KiciEvent): Promise<void>;
  onEmitted?(event: KiciEvent): void;
};

export type Job = { labels?: readonly string[]; cpus?: number; memBytes?: number; durationMs?: number };

/** One provision, from its scale-up until its scale-down was emitted. */
export type Spawn = {
  readonly agentId: string;
  readonly jobId: string | undefined;
  readonly durationMs: number;
  readonly spawnedAt: number;
  isConnected: boolean;
  /** When it registered; undefined until then. */
  adoptedAt: number | undefined;
  heardAt: number;
  jobIsOver: boolean;
  overdueSince: number | undefined;
  triedAt: number | undefined;
};

/** A KiCI orchestrator with one event scaler: spawns agents for jobs, and tears their provisions down (contract; kici-notes 1 to 4). */
export type Orchestrator = {
  readonly dispatch: Dispatch;
  readonly spawns: ReadonlyMap<string, Spawn>;
  /** A job without an agent: emits a scale-up. Gives the agent's id. */
  queueJob(job?: Job): string;
  cancelJob(agentId: string): void;
  /** Until it is lifted every emission of a scale-down fails, and is tried again. */
  blockScaleDowns(isBlocked: boolean): void;
  claim(code: string): Claimed | { error: string };
  /** The job's length, in milliseconds, or why this agent may not register. */
  register(token: string, agentId: string, labels: readonly string[]): { durationMs: number } | { error: string };
  heartbeat(agentId: string): void;
  /** The agent's WebSocket closed, for whatever reason. */
  disconnect(agentId: string): void;
  stop(): void;
};

export function kiciOrchestrator(settings: OrchestratorSettings, parts: OrchestratorParts): Orchestrator {
  const { scaler, orchestratorUrl } = settings;
  const timers = { ...realTimers, ...settings.timers };
  const codes = claims(parts, orchestratorUrl, timers.agentTokenTtlMs);
  const router = dispatch(parts);
  const spawns = new Map<string, Spawn>();
  let isBlocked = false;
  let isStopped = false;

  function emit(event: KiciEvent): void {
    parts.onEmitted?.(event);
    router.emit(event);
  }

  /** The scale-down first, and only then the claim: an agent may still register in between (kici-notes 2). */
  function tearDown(spawn: Spawn, reason: ScaleDownReason): void {
    const { agentId } = spawn;
    if (isBlocked) {
      spawn.triedAt = parts.now();
      return;
    }
    spawns.delete(agentId);
    const requestId = newRequestId(parts.random);
    emit({ name: "kici.scaler.scale-down", payload: { scalerName: scaler, agentId, reason, requestId } });
    codes.invalidate(agentId);
  }

  /** The leader's sweep: what never registered, and what has been silent for long (kici-notes 3). */
  function sweep(): void {
    const now = parts.now();
    for (const spawn of [...spawns.values()]) {
      if (spawn.triedAt !== undefined && now - spawn.triedAt < timers.reattemptMs) continue;
      const isOverdue = spawn.adoptedAt === undefined && now - spawn.spawnedAt >= timers.spawnTimeoutMs;
      if (!isOverdue) spawn.overdueSince = undefined;
      else spawn.overdueSince ??= now;
      if (spawn.overdueSince !== undefined && now - spawn.overdueSince >= timers.flapGraceMs) {
        tearDown(spawn, "spawn-timeout");
      } else if (spawn.adoptedAt !== undefined && !spawn.isConnected) {
        tearDown(spawn, "shutdown");
      } else if (spawn.adoptedAt !== undefined && now - spawn.heardAt >= timers.strandedMs) {
        tearDown(spawn, "heartbeat-timeout");
      }
    }
  }

  /** Jobs that ended before their agent came. */
  function withdraw(): void {
    for (const spawn of [...spawns.values()]) {
      if (spawn.jobIsOver && spawn.adoptedAt === undefined) tearDown(spawn, "job-complete");
    }
  }

  function every(ms: number, run: () => void): void {
    parts.after(ms, () => {
      if (isStopped) return;
      run();
      every(ms, run);
    });
  }
  every(timers.sweepMs, sweep);
  every(timers.withdrawalSweepMs, withdraw);

  return {
    dispatch: router,
    spawns,
    queueJob({ labels: base = ["default"], cpus, memBytes, durationMs = 30_000 } = {}) {
      const agentId = newAgentId(parts.random);
      const jobId = newRequestId(parts.random);
      const labels = labelsOf(scaler, base);
      const now = parts.now();
      spawns.set(agentId, {
        agentId,
        jobId,
        durationMs,
        spawnedAt: now,
        isConnected: false,
        adoptedAt: undefined,
        heardAt: now,
        jobIsOver: false,
        overdueSince: undefined,
        triedAt: undefined,
      });
      const payload: ScaleUpPayload = {
        scalerName: scaler,
        agentId,
        labels,
        mandatoryLabels: [],
        resources: { ...(cpus === undefined ? {} : { cpus }), ...(memBytes === undefined ? {} : { memBytes }) },
        orchestratorUrl,
        claimCode: codes.mint({ agentId, labels }, timers.claimTtlMs),
        jobId,
        requestId: newRequestId(parts.random),
      };
      emit({ name: "kici.scaler.scale-up", payload });
      return agentId;
    },
    cancelJob(agentId) {
      const spawn = spawns.get(agentId);
      if (spawn !== undefined) spawn.jobIsOver = true;
    },
    blockScaleDowns(blocked) {
      isBlocked = blocked;
    },
    claim: (code) => codes.redeem(code),
    register(token, agentId, labels) {
      const why = codes.allows(token, { agentId, labels });
      const spawn = spawns.get(agentId);
      if (why !== undefined) return { error: why };
      if (spawn === undefined) return { error: "no spawn of this agent" };
      if (spawn.isConnected) return { error: "this agent is connected already" };
      spawn.isConnected = true;
      spawn.adoptedAt = parts.now();
      spawn.heardAt = parts.now();
      return { durationMs: spawn.durationMs };
    },
    heartbeat(agentId) {
      const spawn = spawns.get(agentId);
      if (spawn !== undefined) spawn.heardAt = parts.now();
    },
    disconnect(agentId) {
      const spawn = spawns.get(agentId);
      if (spawn === undefined || !spawn.isConnected) return;
      spawn.isConnected = false;
      tearDown(spawn, "shutdown");
    },
    stop() {
      isStopped = true;
    },
  };
}
