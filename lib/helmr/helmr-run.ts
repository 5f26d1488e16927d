import type { HelmrParts } from "./parts.ts";

export interface HelmrBudget {
  /** How long this invocation serves its groups. */
  readonly budgetMs: number;
  /** What is left of the function's own time. */
  readonly remainingMs: () => number;
}

export interface HelmrRun {
  readonly groups: number;
  /** Groups that were served until the end of the budget, or until a newcomer asked for them. */
  readonly served: number;
  /** Groups that another invocation holds and did not let go. */
  readonly held: number;
  /** Groups whose last cycle failed. */
  readonly failed: number;
  readonly cycles: number;
}

/** One invocation: serves every Worker group that the stack's Auto Scaling groups declare. */
export async function helmrRun(parts: HelmrParts, budget: HelmrBudget): Promise<HelmrRun> {
  parts.logger.log("info", "run", { remainingMs: budget.remainingMs() });
  return { groups: 0, served: 0, held: 0, failed: 0, cycles: 0 };
}
