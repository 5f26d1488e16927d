import type { Agenda } from "./agenda.ts";
import type { ControlPlaneModel } from "./model/control-plane-model.ts";
import type { ModelEvent } from "./model/events.ts";
import { hostOf } from "./model/region.ts";
import type { Workers } from "./workers.ts";

interface Execution {
  readonly itemId: string;
  readonly instanceId: string;
  readonly hostId: string;
  readonly leaseId: string;
  readonly startedAt: number;
  readonly endsAt: number;
}

/** An execution whose machine was taken away while it ran. */
interface CutOff extends Execution {
  readonly at: number;
}

export interface Executions {
  readonly running: ReadonlyMap<string, Execution>;
  /** Every violation so far: work that ended because its machine did. */
  readonly cutOff: readonly CutOff[];
  readonly finished: number;
  stop(): void;
}

const againMs = 30_000;
/** After these, work that waits may have a place. */
const makesRoom: ReadonlySet<ModelEvent["type"]> = new Set(["queued", "released", "primary", "group"]);

/**
 * Places queued work on hosts with room whenever something changes, and ends it after its time. The end is told by the
 * machine's worker: while that is silent the lease stays charged, though the VM is done.
 */
export function runExecutions(
  { model, workers, agenda }: { model: ControlPlaneModel; workers: Workers; agenda: Agenda },
  groupId: string,
  durationOf: (itemId: string) => number,
): Executions {
  const running = new Map<string, Execution>();
  const cutOff: CutOff[] = [];
  let finished = 0;
  let planned = false;

  function placeSoon(): void {
    if (planned) return;
    planned = true;
    agenda.at(model.region.now(), () => {
      planned = false;
      for (const { item, host, leaseId } of model.demand.place(groupId)) start(item.id, host.id, leaseId);
    });
  }

  function start(itemId: string, hostId: string, leaseId: string): void {
    const host = hostOf(model.region, hostId);
    host.sessionProcesses += 1;
    const startedAt = model.region.now();
    const endsAt = startedAt + durationOf(itemId);
    running.set(leaseId, { itemId, instanceId: host.resourceId, hostId, leaseId, startedAt, endsAt });
    agenda.at(endsAt, () => end(leaseId));
  }

  function end(leaseId: string): void {
    const execution = running.get(leaseId);
    if (execution === undefined) return;
    running.delete(leaseId);
    finished += 1;
    release(execution);
  }

  function release(execution: Execution): void {
    const host = hostOf(model.region, execution.hostId);
    if (!host.leases.has(execution.leaseId)) return;
    if (workers.isRunning(execution.instanceId) && workers.hostOf(execution.instanceId) === host.id) {
      host.sessionProcesses -= 1;
      model.demand.release(host.id, execution.leaseId);
    } else {
      agenda.at(model.region.now() + againMs, () => release(execution));
    }
  }

  const stopListening = model.on((event) => {
    if (makesRoom.has(event.type)) placeSoon();
    if (event.type === "host" && event.to === "active") placeSoon();
    // Held, not queued again: its machine is confirmed absent.
    if (event.type === "interrupted") running.delete(event.leaseId);
  });
  const stopWatching = workers.onGone((instanceId, at) => {
    for (const execution of running.values()) {
      if (execution.instanceId !== instanceId) continue;
      running.delete(execution.leaseId);
      cutOff.push({ ...execution, at });
    }
  });
  return {
    running,
    cutOff,
    get finished() {
      return finished;
    },
    stop() {
      stopListening();
      stopWatching();
    },
  };
}
