import type { Context } from "aws-lambda";
import type { HostParts } from "./host-parts.ts";
import type { DemandParts } from "./parts.ts";
import { reconcileDemand } from "./reconcile-demand.ts";

/** What is left of the function's time when no further group is started, in milliseconds. */
const reserveMs = 15_000;

/** The minute run. It fails when any group failed, so that a run reported as good did all it had to do. */
export function demandReconciler(
  parts: DemandParts,
  life?: HostParts,
): (event: unknown, context: Context) => Promise<void> {
  return async (_event, context) => {
    const logger = parts.logger.with({ correlationId: context.awsRequestId });
    const until = parts.clock.now() + context.getRemainingTimeInMillis() - reserveMs;
    const run = await reconcileDemand({ ...parts, logger }, until, life);
    logger.log(run.failed > 0 || run.unseen === true ? "error" : "info", "run", { ...run });
    if (run.failed > 0) throw new Error(`${run.failed} of ${run.groups} groups could not be settled.`);
    if (run.unseen) throw new Error("Zoomies could not be seen whole, so no host was proven empty.");
    parts.metrics.count("RunCompleted", 1, { Run: "zoomies-reconciler" });
  };
}
