import type { Shape } from "./model/shape.ts";
import type { QueuedItem } from "./model/state.ts";

/** What a group's callers do, on average. Times in milliseconds, shares in 0..1. */
export interface WorkloadShape {
  readonly size: Shape;
  /** Between submissions, on average. */
  readonly pauseMs: number;
  readonly quietShare: number;
  readonly quietMs: number;
  readonly burstShare: number;
  readonly burstMost: number;
  readonly restoreShare: number;
  readonly pinnedShare: number;
  readonly buildShare: number;
  readonly longShare: number;
  readonly shortMs: readonly [number, number];
  readonly longMs: readonly [number, number];
  /** A refused caller tries again after this. */
  readonly retryMs: number;
}

export const workloadShape: WorkloadShape = {
  size: { cpu_millis: 1_000, memory_bytes: 2_000_000_000, disk_bytes: 10_000_000_000 },
  pauseMs: 20_000,
  quietShare: 0.05,
  quietMs: 900_000,
  burstShare: 0.1,
  burstMost: 20,
  restoreShare: 0.2,
  pinnedShare: 0.5,
  buildShare: 0.1,
  longShare: 0.05,
  shortMs: [10_000, 180_000],
  longMs: [600_000, 2_400_000],
  retryMs: 30_000,
};

export interface Task {
  readonly kind: QueuedItem["kind"];
  readonly pinned: boolean;
  readonly durationMs: number;
}

/** One task from the workload's shares. */
export function drawTask(random: () => number, shape: WorkloadShape): Task {
  const which = random();
  const kind =
    which < shape.restoreShare ? "restore" : which < shape.restoreShare + shape.buildShare ? "build" : "fresh";
  const [least, most] = random() < shape.longShare ? shape.longMs : shape.shortMs;
  return {
    kind,
    pinned: kind === "restore" && random() < shape.pinnedShare,
    durationMs: Math.round(least + (most - least) * random()),
  };
}
