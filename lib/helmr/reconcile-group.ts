import type { CycleReport } from "./cycle-report.ts";
import { decideCycle } from "./decide-cycle.ts";
import type { Decision } from "./decision.ts";
import type { HelmrParts } from "./parts.ts";
import { CapacityPaused } from "./pause.ts";
import { type EndResult, performEnd } from "./perform-end.ts";
import { performRaise } from "./perform-raise.ts";
import type { PlannedObservation } from "./planned-observation.ts";
import { reportLost } from "./report-lost.ts";
import type { Session } from "./session.ts";
import { startDrain } from "./start-drain.ts";
import { tellCycle } from "./tell-cycle.ts";

/**
 * One cycle of one Worker group whose lease is held: look, decide, do at most one thing at the provider, remember. Errors
 * come through and end the cycle; what was begun is in the ledger, and the next cycle looks again (design: rules 4 and 5).
 */
export async function reconcileGroup(parts: HelmrParts, session: Session): Promise<CycleReport> {
  const { hold, name } = session;
  if (await parts.pauses.isPaused(name)) throw new CapacityPaused("The Worker group is paused by an operator.");
  await hold.assert(parts.settings.mutationTimeoutMs * 2);
  const { looked, sighted, decision } = await decideCycle(parts, session);
  await finishOperations(session, decision);
  const lost = await reportLost(parts, session, decision, sighted.absent, looked.observation.pools);
  const acted = await act(parts, session, looked, decision);
  const declared = await parts.acts.settleDeclared(parts, session, looked);
  const again = acted.again || declared.some(({ isNew }) => isNew);
  const report: CycleReport = { looked, sighted, decision, lost, declared, ...acted, again };
  await tellCycle(parts, session, report);
  return report;
}

async function finishOperations({ open }: Session, { steps }: Decision): Promise<void> {
  for (const { operation, step } of steps) {
    if (step.do === "finish") await open.advance(operation.key, { phase: step.phase });
  }
}

/** Tries the ends, then the raise; the first that is sent is the only one. Else a drain may start at Helmr. */
async function act(
  parts: HelmrParts,
  session: Session,
  { observation }: PlannedObservation,
  { ends: orders, raise, drain }: Decision,
): Promise<Pick<CycleReport, "ends" | "raised" | "drained" | "again">> {
  const ends: { key: string; result: EndResult }[] = [];
  for (const order of orders) {
    const result = await performEnd(parts, session, order);
    ends.push({ key: order.key, result });
    // What was not sent leaves room for what comes after it.
    if (result.outcome !== "unproven" && result.outcome !== "observed") return { ends, again: true };
  }
  if (raise !== undefined) {
    const result = await performRaise(parts, session, raise);
    const { name: group, desired: from } = raise.pool.group;
    const again = typeof result !== "object" && result !== "observed";
    return { ends, raised: { group, from, to: raise.to, result }, again };
  }
  if (drain.pool === undefined) return { ends, again: false };
  const drained = await startDrain(parts, session, drain.pool, observation);
  return { ends, drained: { ...drained, pool: drain.pool.pool.name }, again: drained.outcome === "draining" };
}
