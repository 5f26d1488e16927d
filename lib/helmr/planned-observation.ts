import type { Finding } from "../capacity/finding.ts";
import { errorFields } from "../edge/logger.ts";
import { ControlPlaneError, ControlPlaneUnauthorized } from "./control-plane.ts";
import { join } from "./join.ts";
import type { Observation } from "./observation.ts";
import { observe } from "./observe.ts";
import { PlanNotAllowed } from "./observing-control-plane.ts";
import type { LookParts } from "./parts.ts";
import { CapacityPaused } from "./pause.ts";
import { advisoryReasons, planRequest } from "./plan-request.ts";
import type { Plan } from "./protocol.ts";
import type { Outlook } from "./session.ts";

/** One whole look: what was seen, and what Helmr makes of it. */
export interface PlannedObservation {
  readonly observation: Observation;
  readonly plan: Plan | undefined;
  /** Why the plan is no evidence and permits no scale-in; empty when it is whole. */
  readonly advisory: readonly string[];
}

const tries = 3;
const notAllowed = "Drover only observes, and ObserveHelmrPlans does not allow plans: demand is not seen";

/**
 * Observes and plans. An observation that grew too old, or that Helmr refuses as such, is made anew and never sent again
 * (invariants 9 to 11). A plan that fails otherwise leaves an observation without one: what is in flight goes on
 * (invariant 36). The token's refusal and the pause come through.
 */
export async function observeAndPlan(parts: LookParts, session: Outlook): Promise<PlannedObservation> {
  const { settings, clock } = parts;
  let looked: PlannedObservation | undefined;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const observation = await look(parts, session);
    const request = planRequest(observation);
    if (request === undefined) return { observation, plan: undefined, advisory: ["no pool can be planned"] };
    if (clock.now() - observation.observedAt > settings.observationMs) {
      looked = { observation, plan: undefined, advisory: ["the observation took too long"] };
      continue;
    }
    try {
      const plan = await session.controlPlane.plan(observation.workerGroup.id, request);
      return { observation, plan, advisory: advisoryReasons(observation, plan) };
    } catch (error) {
      if (error instanceof ControlPlaneUnauthorized || error instanceof CapacityPaused) throw error;
      if (error instanceof PlanNotAllowed) return { observation, plan: undefined, advisory: [notAllowed] };
      parts.logger.log("warn", "no plan", errorFields(error));
      looked = { observation, plan: undefined, advisory: ["the plan failed"] };
      if (!(error instanceof ControlPlaneError) || error.code !== "execution_capacity_unavailable") return looked;
    }
  }
  if (looked === undefined) throw new Error("No observation was made.");
  return looked;
}

/** Observes alone: nothing is sent that publishes evidence. */
export async function observeOnly(parts: LookParts, session: Outlook): Promise<PlannedObservation> {
  return { observation: await look(parts, session), plan: undefined, advisory: ["no plan was asked for"] };
}

async function look(parts: LookParts, session: Outlook): Promise<Observation> {
  const { memory, open, controlPlane, name } = session;
  const { describeLagMs } = parts.settings;
  const held = open.all().flatMap(({ detail }) => detail.instance ?? []);
  const remembered = [...new Set([...Object.keys(memory.value.seen), ...held])];
  const readings = await observe(parts, controlPlane, name, remembered);
  const now = readings.observedAt;
  const ending = open.all().flatMap(({ detail: { instance, lastAttempt: last } }) => {
    const isRecent = last !== undefined && last.outcome !== "refused" && now - last.at < describeLagMs;
    return isRecent && instance !== undefined ? [instance] : [];
  });
  const failing = await failingGroups(parts, session, now);
  const findings = [...readings.findings, ...Array.from(failing, ([group, why]) => launchFailed(group, why))];
  const context = { memory: memory.value, ending: new Set(ending), failing: new Set(failing.keys()) };
  return join({ ...readings, findings }, context, parts.settings);
}

/** Groups with places that stayed empty, and what AWS says of their newest launch. Read for these groups only. */
async function failingGroups(
  { launchFailures, settings, logger }: LookParts,
  { memory }: Outlook,
  now: number,
): Promise<Map<string, string>> {
  const failing = new Map<string, string>();
  for (const [group, { missingSince }] of Object.entries(memory.value.pools)) {
    if (missingSince === undefined || now - missingSince < settings.missingMs) continue;
    const why = await launchFailures.newest(group).catch((error: unknown) => {
      logger.log("warn", "activities unread", { group, ...errorFields(error) });
      return undefined;
    });
    if (why !== undefined) failing.set(group, why);
  }
  return failing;
}

const launchFailed = (resource: string, why: string): Finding => ({
  code: "launch_failed",
  resource,
  message: `The newest launch failed: ${why}`,
  fix: "Wait for capacity, add instance types or subnets to the group, or look at its launch template.",
});
