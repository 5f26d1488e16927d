import { errorFields } from "../edge/logger.ts";
import { sightings } from "./absence.ts";
import { ControlPlaneUnauthorized } from "./control-plane.ts";
import { poolsAfter } from "./cycle-memory.ts";
import type { CycleReport } from "./cycle-report.ts";
import { decide } from "./decision.ts";
import { deploymentReasons } from "./deployment-check.ts";
import { followOperations } from "./follow-operations.ts";
import type { LookParts } from "./parts.ts";
import { CapacityPaused } from "./pause.ts";
import { observeAndPlan } from "./planned-observation.ts";
import type { Outlook } from "./session.ts";

const deploymentKeptMs = 60_000;

/**
 * The first half of a cycle, for the live path and for a dry run: look, bring memory and operations up to what was seen,
 * decide. Everything that it writes goes to the session's memory and operations.
 */
export async function decideCycle(
  parts: LookParts,
  session: Outlook,
  look: typeof observeAndPlan = observeAndPlan,
): Promise<Pick<CycleReport, "looked" | "sighted" | "decision">> {
  const { memory } = session;
  const looked = await look(parts, session);
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
  return { looked, sighted, decision };
}

/** Read once a minute. What cannot be read speaks against a drain, and against nothing else. */
async function deploymentOf(parts: LookParts, session: Outlook): Promise<readonly string[]> {
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
