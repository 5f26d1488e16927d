import type { RefusalKind } from "./group.ts";

/** What a Describe of the group does not show and shrinking must know (design: safe to shrink). Names, for findings. */
export interface ShrinkFacts {
  /** Scaling policies that are enabled: each may move desired capacity against us. */
  readonly activePolicies: readonly string[];
  /** Scheduled actions that set desired capacity or MaxSize. MinSize alone is read live and works with us. */
  readonly scheduledActions: readonly string[];
  /** Instance refreshes that have not come to an end. */
  readonly activeRefreshes: readonly string[];
}

/** What became of a terminate that was sent once. */
export type TerminateOutcome =
  | { readonly outcome: "accepted" }
  /** Auto Scaling said no, and nothing happened. */
  | { readonly outcome: "refused"; readonly code: string; readonly kind: RefusalKind }
  /** It may still land: look at the instance before any repeat (design: rule 3). */
  | { readonly outcome: "unknown"; readonly code: string };

/** Auto Scaling groups as the shrinking half of Drover needs them. */
export interface Shrink {
  facts(group: string): Promise<ShrinkFacts>;
  /**
   * Ends exactly this instance, once, and lowers desired capacity by one; without `decrement` Auto Scaling replaces it. The
   * caller holds the group's lease and the proof.
   */
  terminate(instance: string, options?: { readonly decrement: boolean }): Promise<TerminateOutcome>;
}
