import { errorFields } from "../edge/logger.ts";
import { sightings } from "./absence.ts";
import { ControlPlaneUnauthorized } from "./control-plane.ts";
import { poolsAfter } from "./cycle-memory.ts";
import type { CycleReport } from "./cycle-report.ts";
import { type Decision, decide } from "./decision.ts";
import { deploymentReasons } from "./deployment-check.ts";
import { followOperations } from "./follow-operations.ts";
import type { HelmrParts } from "./parts.ts";
import { CapacityPaused } from "./pause.ts";
import { type EndResult, performEnd } from "./perform-end.ts";
import { performRaise } from "./perform-raise.ts";
import { observeAndPlan, type PlannedObservation } from "./planned-observation.ts";
import { reportLost } from "./report-lost.ts";
import type { Session } from "./session.ts";
import { startDrain } from "./start-drain.ts";
import { tellCycle } from "./tell-cycle.ts";

const deploymentKeptMs = 60_000;

/**
 * One cycle of one Worker group whose lease is held: look, decide, do at most one thing at the provider, remember. Errors
 * come through and end the cycle; what was begun is in the ledger, and the next cycle looks again (design: rules 4 and 5).
 */
export async function reconcileGroup(parts: HelmrParts, session: Session): Promise<CycleReport> {
  const { memory, hold, name } = session;
  if (await parts.pauses.isPaused(name)) throw new CapacityPaused("The Worker group is paused by an operator.");
  await hold.assert(parts.settings.mutationTimeoutMs * 2);
  const looked = await observeAndPlan(parts, session);
  const { observation, plan, advisory } = looked;
  const held = session.open.all().flatMap(({ detail: { instance }, startedAt: since }) =>
    // An operation's instance stays in mind until the operation is over; by itself that proves no absence.
    instance === undefined ? [] : [[instance, { group: "", since }] as const],
  );
  const before = { ...Object.fromEntries(held), ...memory.value.seen };
  const sighted = sightings(before, observation, parts.settings);
  const pools = poolsAfter(memory.value.pools, observation, plan, advisory);
  await memory.save({ seen: sighted.seen, pools });

  const followed = await followOperations(parts, session, observation);
  const deployment = await deploymentOf(parts, session);
  const input = { observation, plan, advisory, memory: memory.value, ...followed, deployment };
  const decision = decide({ ...input, absent: sighted.absent, now: parts.clock.now() }, parts.settings);

  await finishOperations(session, decision);
  const lost = await reportLost(parts, session, decision, sighted.absent, observation.pools);
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

/** Read once a minute. What cannot be read speaks against a drain, and against nothing else. */
async function deploymentOf(parts: HelmrParts, session: Session): Promise<readonly string[]> {
  const now = parts.clock.now();
  const known = session.deployment;
  if (known !== undefined && now - known.at < deploymentKeptMs) return known.reasons;
  try {
    const reasons = deploymentReasons(await session.controlPlane.deployment(), parts.settings.workerRevision);
    session.deployment = { reasons, at: now };
    return reasons;
  } catch (error) {
    if (error instanceof ControlPlaneUnauthorized || error instanceof CapacityPaused) throw error;
    parts.logger.log("warn", "deployment unread", errorFields(error));
    return ["the Control Plane's deployment could not be read"];
  }
}
