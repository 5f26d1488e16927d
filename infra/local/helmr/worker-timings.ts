/** The worker's own times in milliseconds (helmr-notes 5). */
export interface WorkerTimings {
  /** From the running machine to the worker's first process: drawn between the two. */
  readonly bootMs: readonly [number, number];
  /** From registering to active. */
  readonly activateMs: number;
  readonly observeMs: number;
  /** How often a draining worker looks whether it is empty. */
  readonly drainPollMs: number;
  /** A process that could not drain in this time ends and is started again, still draining. */
  readonly drainLimitMs: number;
  /** The service's pause before it starts again. */
  readonly restartMs: number;
}

export const defaultWorkerTimings: WorkerTimings = {
  bootMs: [20_000, 60_000],
  activateMs: 5_000,
  observeMs: 30_000,
  drainPollMs: 5_000,
  drainLimitMs: 1_800_000,
  restartMs: 10_000,
};
