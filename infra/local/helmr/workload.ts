import type { Agenda } from "./agenda.ts";
import { type Executions, runExecutions } from "./executions.ts";
import type { ControlPlaneModel } from "./model/control-plane-model.ts";
import { Refusal } from "./model/refusal.ts";
import { groupOf } from "./model/region.ts";
import type { Shape } from "./model/shape.ts";
import type { Pool, QueuedItem } from "./model/state.ts";
import { activePools, roomFor } from "./model/supply.ts";
import type { Workers } from "./workers.ts";
import { drawTask, type WorkloadShape, workloadShape } from "./workload-shape.ts";

export interface WorkloadOptions {
  readonly model: ControlPlaneModel;
  readonly workers: Workers;
  readonly agenda: Agenda;
  readonly random: () => number;
  readonly groupId: string;
  readonly shape?: Partial<WorkloadShape>;
  /** `evidence`: a new Turn is refused without capacity or fresh evidence and its caller tries again. Default. */
  readonly admission?: "evidence" | "always";
}

interface SubmitOptions {
  readonly kind?: QueuedItem["kind"];
  readonly durationMs?: number;
  readonly size?: Shape;
  /** Binds a restore to this pool. */
  readonly poolId?: string;
}

/** The group's callers: they submit work, and it runs. */
export interface Workload extends Executions {
  submit(options?: SubmitOptions): void;
  /** Bursts and quiet times until this instant; nothing is submitted after it. */
  generate(until: number): void;
  /** Turns that were refused; they are submitted again. */
  readonly refused: number;
  /** Work that is neither running nor finished: queued, or refused and to be tried again. */
  readonly waiting: number;
}

export function createWorkload(options: WorkloadOptions): Workload {
  const { model, agenda, random, groupId, admission = "evidence" } = options;
  const shape = { ...workloadShape, ...options.shape };
  const durations = new Map<string, number>();
  const executions = runExecutions(options, groupId, (itemId) => durations.get(itemId) ?? 0);
  const group = groupOf(model.region, groupId);
  let count = 0;
  let refused = 0;
  let retrying = 0;
  let stopped = false;

  function offer(item: QueuedItem): void {
    if (admission === "always" || item.kind !== "fresh") {
      model.demand.enqueue(groupId, item);
      return;
    }
    try {
      model.demand.admit(groupId, item);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused += 1;
      retrying += 1;
      agenda.at(model.region.now() + shape.retryMs, () => {
        retrying -= 1;
        if (!stopped) offer(item);
      });
    }
  }

  function submit({ kind = "fresh", durationMs = 60_000, size = shape.size, poolId }: SubmitOptions = {}): void {
    count += 1;
    const id = `item-${String(count).padStart(6, "0")}`;
    durations.set(id, durationMs);
    const pool = kind === "restore" ? restorePool(poolId) : undefined;
    // Nothing was ever saved where no pool is sealed; the restore is new work then.
    const platform = pool?.template?.platform;
    const bound =
      platform === undefined ? { kind: kind === "restore" ? ("fresh" as const) : kind } : { kind, platform };
    const pinned = pool !== undefined && poolId !== undefined ? { poolId: pool.id } : {};
    offer({ id, queuedAt: model.region.now(), ...size, ...bound, ...pinned });
  }

  function restorePool(poolId: string | undefined): Pool | undefined {
    const pools = activePools(group);
    return poolId === undefined ? pools[Math.floor(random() * pools.length)] : group.pools.get(poolId);
  }

  function generate(until: number): void {
    const now = model.region.now();
    if (now >= until || stopped) return;
    const burst = random() < shape.burstShare ? 1 + Math.floor(random() * shape.burstMost) : 1;
    for (let index = 0; index < burst; index += 1) {
      const task = drawTask(random, shape);
      const pools = activePools(group);
      const pin = task.pinned ? pools[Math.floor(random() * pools.length)]?.id : undefined;
      submit({ kind: task.kind, durationMs: task.durationMs, ...(pin === undefined ? {} : { poolId: pin }) });
    }
    fillOptional();
    const pause = random() < shape.quietShare ? shape.quietMs : shape.pauseMs * 2 * random();
    agenda.at(now + Math.max(1, Math.round(pause)), () => generate(until));
  }

  /** Optional seeds and prepared VMs take what the pool's policy lets them, one on each host that has room. */
  function fillOptional(): void {
    if (group.queue.size > 0) return;
    for (const pool of activePools(group)) {
      if (pool.policy.optional.vm_slots === 0) continue;
      for (const host of pool.hosts) {
        const optional = [...host.leases.values()].filter((each) => each.kind === "optional").length;
        const room = roomFor(model.region, host, true);
        if (room === undefined || optional >= pool.policy.optional.vm_slots) continue;
        if (room.slots <= 1 + pool.policy.local_headroom_slots) continue;
        model.demand.lease(host.id, { kind: "optional", ...shape.size });
      }
    }
  }

  return {
    get running() {
      return executions.running;
    },
    get cutOff() {
      return executions.cutOff;
    },
    get finished() {
      return executions.finished;
    },
    get refused() {
      return refused;
    },
    get waiting() {
      return group.queue.size + retrying;
    },
    submit,
    generate,
    stop() {
      stopped = true;
      executions.stop();
    },
  };
}
