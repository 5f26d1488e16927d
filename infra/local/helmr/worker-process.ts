import type { Agenda } from "./agenda.ts";
import type { ControlPlaneModel } from "./model/control-plane-model.ts";
import { isReclaiming } from "./model/pool-row.ts";
import { Refusal } from "./model/refusal.ts";
import { hostOf, poolOfHost } from "./model/region.ts";
import type { Template } from "./model/shape.ts";
import type { Host } from "./model/state.ts";
import type { WorkerTimings } from "./worker-timings.ts";

/** Which group and pool a machine's worker enrols in, and what the machine is. */
export interface Enrolment {
  readonly groupId: string;
  readonly poolName: string;
  readonly template: Template;
}

export interface WorkerParts {
  readonly model: ControlPlaneModel;
  readonly agenda: Agenda;
  readonly timings: WorkerTimings;
}

/**
 * The worker service of one machine, as it runs from boot to the end of the machine (helmr-notes 2.1 and 5): enrols,
 * authenticates, activates, reports every 30 s, and when told to drain empties itself and acknowledges.
 */
export class WorkerProcess {
  readonly instanceId: string;
  readonly #parts: WorkerParts;
  readonly #enrolment: Enrolment;
  /** Rises with each start and stop: what an earlier process had planned comes to nothing. */
  #run = 0;
  #running = false;
  #hostId: string | undefined;
  #epoch = 0;
  #drainingSince: number | undefined;

  constructor(instanceId: string, enrolment: Enrolment, parts: WorkerParts) {
    this.instanceId = instanceId;
    this.#enrolment = enrolment;
    this.#parts = parts;
  }

  get hostId(): string | undefined {
    return this.#hostId;
  }

  /** Whether a process is there to end executions and to speak for the machine. */
  get running(): boolean {
    return this.#running;
  }

  startAfter(ms: number): void {
    this.#run += 1;
    this.#later(ms, () => this.#start());
  }

  /** Silence: nothing is reported or ended any more. The machine and its VMs may go on. */
  stop(): void {
    this.#run += 1;
    this.#running = false;
  }

  /** The machine is about to go down by itself; a worker that is active drains for `shutdown`. */
  shutdownNotice(): void {
    if (!this.#running || this.#hostId === undefined) return;
    const hostId = this.#hostId;
    this.#refusable(() => this.#parts.model.workers.beginShutdown(hostId, this.#epoch));
    this.#run += 1;
    if (this.#host()?.status === "registering") this.#activate();
    else this.#observe();
  }

  #start(): void {
    const { model, timings } = this.#parts;
    const { groupId, poolName } = this.#enrolment;
    this.#running = true;
    this.#drainingSince = undefined;
    const enrolled = this.#refusable(() => {
      const host = model.workers.enrol(groupId, poolName, this.instanceId);
      this.#hostId = host.id;
      this.#epoch = model.workers.authenticate(host.id);
    });
    if (enrolled) this.#later(timings.activateMs, () => this.#activate());
    else this.#later(timings.observeMs, () => this.#start());
  }

  /** Refused while the machine differs from the pool's seal; it stays registering and goes on trying (helmr-notes 2.5). */
  #activate(): void {
    const { model, timings } = this.#parts;
    const host = this.#host();
    if (host?.status === "registering") {
      this.#refusable(() => model.workers.activate(host.id, this.#epoch, this.#enrolment.template));
    }
    if (host?.status === "registering") {
      if (this.#report() !== undefined) this.#later(timings.observeMs, () => this.#activate());
    } else this.#observe();
  }

  #observe(): void {
    const { model, timings } = this.#parts;
    const reply = this.#report();
    if (reply === undefined) return;
    const host = this.#host();
    if (host === undefined) return;
    if (!reply.draining) {
      reclaimOptional(model, host);
      this.#later(timings.observeMs, () => this.#observe());
      return;
    }
    const now = model.region.now();
    this.#drainingSince ??= now;
    for (const lease of host.leases.values()) if (lease.kind === "optional") model.demand.release(host.id, lease.id);
    const isEmpty = host.leases.size === 0 && host.sessionProcesses === 0;
    if (isEmpty && this.#refusable(() => model.workers.completeDrain(host.id, this.#epoch, reply.claimVersion))) {
      // A drain marker stays behind: this machine's worker never starts again.
      this.stop();
    } else if (now - this.#drainingSince >= timings.drainLimitMs) this.startAfter(timings.restartMs);
    else this.#later(timings.drainPollMs, () => this.#observe());
  }

  /** The Control Plane's reply; when it refuses this process, the service ends and is started again. */
  #report(): { draining: boolean; claimVersion: number } | undefined {
    const { model, timings } = this.#parts;
    const hostId = this.#hostId;
    let reply: { draining: boolean; claimVersion: number } | undefined;
    if (hostId !== undefined) {
      this.#refusable(() => {
        reply = model.workers.observe(hostId, this.#epoch);
      });
    }
    if (reply === undefined) this.startAfter(timings.restartMs);
    return reply;
  }

  #host(): Host | undefined {
    return this.#hostId === undefined ? undefined : hostOf(this.#parts.model.region, this.#hostId);
  }

  #refusable(ask: () => void): boolean {
    try {
      ask();
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  #later(ms: number, run: () => void): void {
    const planned = this.#run;
    this.#parts.agenda.at(this.#parts.model.region.now() + ms, () => {
      if (planned === this.#run) run();
    });
  }
}

/** A policy that was reduced takes effect one optional VM a report. */
function reclaimOptional(model: ControlPlaneModel, host: Host): void {
  if (!isReclaiming(poolOfHost(model.region, host), host)) return;
  const optional = [...host.leases.values()].find((lease) => lease.kind === "optional");
  if (optional !== undefined) model.demand.release(host.id, optional.id);
}
