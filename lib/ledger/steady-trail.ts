import { errorFields, type Logger } from "../edge/logger.ts";
import type { Metrics } from "../edge/metrics.ts";
import type { Trail } from "./trail.ts";

/**
 * The same trail, whose lines never fail whoever writes them: what a line tells of was done or decided already, and what comes after it,
 * an outcome to be recorded above all, must not be lost with it. A line that could not be written is logged and counted.
 */
export function steadyTrail(trail: Trail, { logger, metrics }: { logger: Logger; metrics: Metrics }): Trail {
  const untold = ({ fleet, decided, outcome }: { fleet: string; decided: string; outcome: string }) => {
    return (error: unknown): void => {
      logger.log("warn", "trail not written", { fleet, decided, outcome, ...errorFields(error) });
      metrics.count("CallFailed", 1, { Outcome: "failed", Fleet: fleet, Call: "trail" });
    };
  };
  return {
    ...trail,
    append: (entry) => trail.append(entry).catch(untold(entry)),
    appendChange: (subject, entry) => trail.appendChange(subject, entry).catch(untold(entry)),
  };
}
