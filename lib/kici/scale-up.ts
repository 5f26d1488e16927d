import { coolOffName, type Offering, subnetCoolOffName } from "../capacity/offerings.ts";
import { kiciScalerTag, type ScalerFleet, scalerFleet } from "../capacity/scaler-fleet.ts";
import type { Refusal } from "../edge/http-answer.ts";
import type { Stored } from "../ledger/records.ts";
import { type AgentName, type AgentRecord, claimDigest } from "./agent-record.ts";
import { type Answer, awsRefused, refusedWith, secondsUntil } from "./answer.ts";
import { freeze, thaw } from "./attempt.ts";
import { concludeByLook } from "./conclude.ts";
import { freePlace, type LaunchParts, liveSetOf } from "./parts.ts";
import { decideScaleUp, type ScaleUpStep } from "./scale-up-decision.ts";
import type { ScaleUpEvent } from "./scale-up-event.ts";
import { type Chosen, chooseTemplate } from "./template-decision.ts";
import { mostUserDataBytes } from "./user-data.ts";
import { walkOfferings } from "./walk-offerings.ts";

/** How long one invocation may go on, milliseconds since the epoch. */
export interface Times {
  /** When no further call to launch is begun. */
  readonly walkUntil: number;
  /** When what it holds is anybody's again: after the function's own end. */
  readonly leaseUntil: number;
}

/** A tag's value decides the template; what its tags and its version say decides the launch. */
export interface Ground extends Chosen {
  readonly imageId: string;
}

/** Launches the one instance of one agent, or says why not. Idempotent by (scalerName, agentId) alone. */
export async function scaleUp(parts: LaunchParts, event: ScaleUpEvent, times: Times): Promise<Answer> {
  const name: AgentName = { scaler: event.scalerName, agent: event.agentId };
  const claim = claimDigest(name, event.claimCode);
  const stored = await parts.agents.read(name);
  const step = decideScaleUp(stored?.value, claim, parts.clock.now());
  if (step.step !== "begin" && step.step !== "resume") return answerOf(step, name, parts.clock.now());

  const ground = await groundOf(parts, event);
  if ("refusal" in ground) return ground;
  const tooLarge = whyTooLarge(parts, event, ground);
  if (tooLarge !== undefined) return { refusal: tooLarge };

  const cooling = await coolingOf(parts, ground.offerings);
  const open = ground.offerings.filter((offering) => !cooling.has(offering));
  if (step.step === "begin" && open.length === 0) {
    const soonest = Math.min(...cooling.values());
    const what = "Every offering of this scaler is out of capacity and cools off";
    return awsRefused("InsufficientInstanceCapacity", what, secondsUntil(soonest, parts.clock.now()));
  }

  const cap = ground.fleet.maxInstances;
  const place = await parts.liveSets.take(liveSetOf(name.scaler, ground.architecture), name.agent, cap);
  if (place === "full") {
    parts.metrics.count("CapacityCapped", 1, { Scaler: name.scaler });
    const message = `The scaler is at its cap of ${cap} instances. Raise drover:max-instances on launch template ${ground.fleet.template.name}, or wait for agents to end.`;
    return refusedWith(429, "scaler_at_cap", message, 30);
  }
  return drive(parts, event, { name, claim, stored, step, ground, open, times });
}

interface Drive {
  readonly name: AgentName;
  readonly claim: string;
  readonly stored: Stored<AgentRecord> | undefined;
  readonly step: Extract<ScaleUpStep, { step: "begin" | "resume" }>;
  readonly ground: Ground;
  readonly open: readonly Offering[];
  readonly times: Times;
}

/** Makes the attempt this invocation's own, in one write over exactly what was read, and carries it out. */
async function drive(parts: LaunchParts, event: ScaleUpEvent, drive: Drive): Promise<Answer> {
  const { name, claim, stored, step, ground, open, times } = drive;
  const now = parts.clock.now();
  const lease = { owner: parts.newToken(), fence: (stored?.value.lease?.fence ?? 0) + 1, until: times.leaseUntil };
  const [first] = open;
  const known = step.step === "resume" ? stored?.value.attempt : undefined;
  const request = known === undefined ? undefined : thaw(known, event, now);
  if (known !== undefined && request === undefined) return concludeByLook(parts, name, known, lease.owner);

  const begun =
    known !== undefined && request !== undefined
      ? { attempt: known, request }
      : freeze(event, { stack: parts.stack, ...ground, number: numberOf(step), offering: first as Offering, now });
  const { unsureAt, ...before } = stored?.value ?? {};
  const unsure = step.step === "resume" ? { unsureAt: unsureAt ?? begun.attempt.at } : {};
  const { architecture } = ground;
  const value: AgentRecord = {
    ...before,
    phase: "launching",
    claim,
    attempt: begun.attempt,
    architecture,
    lease,
    ...unsure,
  };
  const taken = await parts.agents.write(name, stored, value);
  if (!taken.written || taken.stored === undefined) return overtaken(parts, drive, taken.stored?.value);
  return walkOfferings(parts, event, { name, ground, open, times, ...begun, stored: taken.stored, owner: lease.owner });
}

const numberOf = (step: Drive["step"]): number => (step.step === "begin" ? step.number : 1);

/** Somebody wrote first: what stands there now is the answer. */
async function overtaken(
  parts: LaunchParts,
  { name, claim, ground: { architecture } }: Drive,
  record: AgentRecord | undefined,
): Promise<Answer> {
  // A place that was taken for an agent of whom nothing runs or will run. Any other belongs to whoever drives the attempt.
  if (record?.phase === "ended") await freePlace(parts, name, { architecture });
  const now = parts.clock.now();
  const step = decideScaleUp(record, claim, now);
  return step.step === "begin" || step.step === "resume"
    ? answerOf({ step: "wait", until: now + 1_000 }, name, now)
    : answerOf(step, name, now);
}

function answerOf(step: Exclude<ScaleUpStep, Drive["step"]>, { agent }: AgentName, now: number): Answer {
  if (step.step === "answer") {
    const { status, instanceId } = step;
    return { status, agentId: agent, ...(instanceId === undefined ? {} : { instanceId }) };
  }
  if (step.step === "refuse-claim") {
    const message = "This agent was scaled up with another claim code. An agent's id is used once.";
    return refusedWith(409, "other_claim_code", message);
  }
  const message = "Another attempt to launch this agent is running.";
  return refusedWith(409, "attempt_running", message, secondsUntil(step.until, now));
}

/** The template that serves this event, and what its tags and its version say now. */
async function groundOf(parts: LaunchParts, event: ScaleUpEvent): Promise<Ground | { refusal: Refusal }> {
  const templates = await parts.templates.tagged(kiciScalerTag, event.scalerName);
  const read = templates.map(scalerFleet);
  const fleets: ScalerFleet[] = read.flatMap(({ fleet }) => fleet ?? []);
  const findings = read.flatMap((each) => each.findings ?? []);
  const types = await parts.types.named(fleets.flatMap(({ instanceTypes }) => instanceTypes));
  const chosen = chooseTemplate({ fleets, findings, types }, event);
  if ("refusal" in chosen) return chosen;
  const { id, name, version } = chosen.fleet.template;
  const { imageId, hasInterfaces, isPersistentSpot } = await parts.templates.version(id, version);
  const bad = (what: string) =>
    refusedWith(422, "bad_template", `Launch template ${name}, version ${version}, ${what}.`);
  if (imageId === undefined) return bad("names no image");
  if (hasInterfaces) return bad("describes network interfaces; name its security groups in SecurityGroupIds instead");
  if (isPersistentSpot) return bad("asks for persistent Spot capacity, which comes back after its end; use one-time");
  return { ...chosen, imageId };
}

function whyTooLarge(parts: LaunchParts, event: ScaleUpEvent, ground: Ground): Refusal | undefined {
  const [offering] = ground.offerings;
  if (offering === undefined) return undefined;
  const { request } = freeze(event, { stack: parts.stack, ...ground, number: 1, offering, now: parts.clock.now() });
  const bytes = Buffer.byteLength(request.userData);
  if (bytes <= mostUserDataBytes) return undefined;
  const message = `The user data would have ${bytes} bytes, and EC2 takes ${mostUserDataBytes}. Use fewer or shorter labels.`;
  return { status: 422, code: "user_data_too_large", message };
}

/** Offerings that failed a moment ago, and until when they are left alone. */
async function coolingOf(parts: LaunchParts, offerings: readonly Offering[]): Promise<ReadonlyMap<Offering, number>> {
  const running = await parts.coolOffs.running([
    ...new Set(offerings.flatMap((offering) => [coolOffName(offering), subnetCoolOffName(offering)])),
  ]);
  const until = (offering: Offering) =>
    Math.max(running.get(coolOffName(offering)) ?? 0, running.get(subnetCoolOffName(offering)) ?? 0);
  return new Map(offerings.map((offering) => [offering, until(offering)] as const).filter(([, time]) => time > 0));
}
