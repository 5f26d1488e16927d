/** The orchestrator's timers, in milliseconds (kici-notes 3). */
export type KiciTimers = {
  /** From the emission of the scale-up. */
  claimTtlMs: number;
  /** From the redemption of the claim code. */
  agentTokenTtlMs: number;
  spawnTimeoutMs: number;
  sweepMs: number;
  /** How long an overdue agent must stay away before its provision is torn down. */
  flapGraceMs: number;
  /** How long a registered agent may be silent. */
  strandedMs: number;
  /** Between two emissions of a scale-down that could not be emitted. */
  reattemptMs: number;
  withdrawalSweepMs: number;
};

/** KiCI's defaults. */
export const realTimers: KiciTimers = {
  claimTtlMs: 300_000,
  agentTokenTtlMs: 600_000,
  spawnTimeoutMs: 300_000,
  sweepMs: 60_000,
  flapGraceMs: 120_000,
  strandedMs: 30 * 60_000,
  reattemptMs: 10 * 60_000,
  withdrawalSweepMs: 30_000,
};
