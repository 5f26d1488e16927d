import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import { declaredWorkerGroups, helmrTagged, isPlaced } from "../capacity/helmr-fleets.ts";
import { errorFields } from "../edge/logger.ts";
import { type Served, serveGroup } from "./cadence.ts";
import { hints } from "./hints.ts";
import type { HelmrParts } from "./parts.ts";

export interface HelmrBudget {
  /** How long this invocation serves its groups, in milliseconds. */
  readonly budgetMs: number;
  /** What is left of the function's own time, in milliseconds. */
  readonly remainingMs: () => number;
  /** One cycle of each group and no update stream: the cadence `ticks`. */
  readonly once?: boolean;
}

export interface HelmrRun {
  readonly groups: number;
  /** Groups that were served until the end of the budget, or until a newcomer asked for them. */
  readonly served: number;
  /** Groups that another invocation holds. */
  readonly held: number;
  /** Groups whose last cycle failed. */
  readonly failed: number;
  readonly cycles: number;
}

/** What is left of the function's time when no further cycle begins. */
const reserveMs = 20_000;

/**
 * One invocation: serves every Worker group that the stack's Auto Scaling groups name, all at once and each by itself, so
 * that a sick one delays no other. They share one update stream, which only ever says "look".
 */
export async function helmrRun(
  parts: HelmrParts,
  { budgetMs, remainingMs, once = false }: HelmrBudget,
): Promise<HelmrRun> {
  const until = parts.clock.now() + Math.min(budgetMs, remainingMs() - reserveMs);
  const groups = declaredWorkerGroups(await helmrTagged(parts.groups));
  const named = groups.filter(isPlaced);
  for (const unplaced of groups.filter((group) => !isPlaced(group))) {
    // No cycle is ever about these groups, so they are told here.
    for (const { code, resource, message, fix, tag } of unplaced.findings) {
      parts.logger.log("warn", "finding", { fleet: resource, decided: code, reasons: [message, fix], code, tag });
      parts.metrics.count("ConfigError", 1, { Fleet: resource, Code: code });
    }
  }
  const hinted = hints();
  const stream =
    named.length === 0 || once
      ? undefined
      : parts.followUpdates?.(hinted.hint, (reason) => parts.logger.log("info", "update stream lost", { reason }));
  try {
    const results = await Promise.all(named.map(({ name }) => serveOne(parts, name, hinted.waiter(), until, once)));
    const count = (...outcomes: Served["outcome"][]) =>
      results.filter(({ outcome }) => outcomes.includes(outcome)).length;
    return {
      groups: named.length,
      served: count("served", "lost"),
      held: count("held"),
      failed: count("failed"),
      cycles: results.reduce((sum, { cycles }) => sum + cycles, 0),
    };
  } finally {
    stream?.close();
  }
}

async function serveOne(
  parts: HelmrParts,
  name: string,
  waiter: ReturnType<ReturnType<typeof hints>["waiter"]>,
  until: number,
  once: boolean,
): Promise<Served> {
  const logger = parts.logger.with({ workerGroup: name });
  try {
    return await serveGroup({ ...parts, logger }, name, waiter, until, once);
  } catch (error) {
    logger.log("error", "failed", errorFields(error));
    countRefusal(parts.metrics, errorCode(error), { Fleet: name });
    return { outcome: "failed", cycles: 0 };
  }
}
