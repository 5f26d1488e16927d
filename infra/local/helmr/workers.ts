import type { Agenda } from "./agenda.ts";
import type { ControlPlaneModel } from "./model/control-plane-model.ts";
import type { Template } from "./model/shape.ts";
import { type Enrolment, WorkerProcess } from "./worker-process.ts";
import { defaultWorkerTimings, type WorkerTimings } from "./worker-timings.ts";

/** How the worker of a new machine fares. */
export type WorkerFate =
  | { readonly kind: "healthy" }
  /** The machine runs and no worker ever speaks. */
  | { readonly kind: "never-registers" }
  /** Another machine than the pool's seal: it registers and is never activated (helmr-notes 7.28). */
  | { readonly kind: "other-machine"; readonly template: Template }
  /** Goes silent this long after its first process started. */
  | { readonly kind: "crashes"; readonly afterMs: number; readonly restarts: boolean };

export interface WorkersOptions {
  readonly model: ControlPlaneModel;
  readonly agenda: Agenda;
  readonly random: () => number;
  readonly timings?: Partial<WorkerTimings>;
  /** Asked once for each machine. By default all are healthy. */
  readonly fate?: (instanceId: string) => WorkerFate;
}

type GoneListener = (instanceId: string, at: number) => void;

/** The worker services of all machines that serve Helmr, and what befalls them. */
export interface Workers {
  /** Machines of this Auto Scaling group enrol in that pool. */
  serve(autoScalingGroup: string, enrolment: Enrolment): void;
  instanceStarted(instanceId: string, autoScalingGroup: string, at: number): void;
  /** The machine stops or is being terminated: everything on it ends. Telling it again changes nothing. */
  instanceGone(instanceId: string, at: number): void;
  /** The machine learns that it will go down (spot notice, termination hook). */
  shutdownNotice(instanceId: string): void;
  /** The worker falls silent while its machine runs on; the fencer finds it lost after two minutes. */
  crash(instanceId: string): void;
  /** The worker service starts again: same row and a new epoch, or a new row where the old one is ended. */
  restart(instanceId: string): void;
  isRunning(instanceId: string): boolean;
  isPresent(instanceId: string): boolean;
  /** Machines that serve Helmr and run, oldest first. */
  instances(): string[];
  hostOf(instanceId: string): string | undefined;
  onGone(listener: GoneListener): () => void;
}

export function createWorkers(options: WorkersOptions): Workers {
  const { model, agenda, random, fate = () => ({ kind: "healthy" }) as const } = options;
  const timings = { ...defaultWorkerTimings, ...options.timings };
  const served = new Map<string, Enrolment>();
  const processes = new Map<string, WorkerProcess>();
  const listeners = new Set<GoneListener>();

  function boot(process: WorkerProcess, destiny: WorkerFate): void {
    const [least, most] = timings.bootMs;
    const bootMs = Math.round(least + (most - least) * random());
    if (destiny.kind === "never-registers") return;
    process.startAfter(bootMs);
    if (destiny.kind !== "crashes") return;
    agenda.at(model.region.now() + bootMs + destiny.afterMs, () => {
      if (processes.get(process.instanceId) !== process) return;
      process.stop();
      if (destiny.restarts) process.startAfter(timings.restartMs);
    });
  }

  return {
    serve: (group, enrolment) => void served.set(group, enrolment),
    instanceStarted(instanceId, group) {
      const enrolment = served.get(group);
      if (enrolment === undefined || processes.has(instanceId)) return;
      const destiny = fate(instanceId);
      const own = destiny.kind === "other-machine" ? { ...enrolment, template: destiny.template } : enrolment;
      const process = new WorkerProcess(instanceId, own, { model, agenda, timings });
      processes.set(instanceId, process);
      boot(process, destiny);
    },
    instanceGone(instanceId, at) {
      const process = processes.get(instanceId);
      if (process === undefined) return;
      process.stop();
      processes.delete(instanceId);
      for (const listener of [...listeners]) listener(instanceId, at);
    },
    shutdownNotice: (instanceId) => processes.get(instanceId)?.shutdownNotice(),
    crash: (instanceId) => processes.get(instanceId)?.stop(),
    restart: (instanceId) => processes.get(instanceId)?.startAfter(timings.restartMs),
    isRunning: (instanceId) => processes.get(instanceId)?.running ?? false,
    isPresent: (instanceId) => processes.has(instanceId),
    instances: () => [...processes.keys()],
    hostOf: (instanceId) => processes.get(instanceId)?.hostId,
    onGone(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
