import type { Context } from "aws-lambda";
import { helmrRun } from "./helmr-run.ts";
import type { HelmrParts } from "./parts.ts";

/** How long one invocation serves its groups: three of the minutes in which the next ones should come and take over. */
const budgetMs = 180_000;

/** Messages of the tick queue, however many of them have piled up, are one tick; anything else is the schedule. */
const isTick = (event: unknown): boolean =>
  typeof event === "object" && event !== null && Array.isArray((event as { Records?: unknown }).Records);

/** The minute run, or one cycle for a tick. It fails when a group's last cycle failed, so that a run reported as good did all it had to do. */
export function helmrReconciler(parts: HelmrParts): (event: unknown, context: Context) => Promise<void> {
  return async (event, context) => {
    const logger = parts.logger.with({ correlationId: context.awsRequestId });
    const remainingMs = () => context.getRemainingTimeInMillis();
    const run = await helmrRun({ ...parts, logger }, { budgetMs, remainingMs, once: isTick(event) });
    logger.log(run.failed > 0 ? "error" : "info", "run", { ...run });
    if (run.failed > 0) throw new Error(`${run.failed} of ${run.groups} Worker groups could not be reconciled.`);
    parts.metrics.count("RunCompleted", 1, { Run: "helmr-reconciler" });
  };
}
