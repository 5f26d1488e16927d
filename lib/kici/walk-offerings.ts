import { countRefusal } from "../capacity/count-refusal.ts";
import type { LaunchOutcome, LaunchRequest } from "../capacity/instances.ts";
import type { LaunchRefusal } from "../capacity/launch-error-codes.ts";
import { coolOffName, type Offering, subnetCoolOffName } from "../capacity/offerings.ts";
import { pause } from "../edge/pause.ts";
import type { Stored } from "../ledger/records.ts";
import type { AgentName, AgentRecord } from "./agent-record.ts";
import { type Answer, awsRefused } from "./answer.ts";
import { type Attempt, freeze } from "./attempt.ts";
import { adopt, concludeByLook, concludeFailed, leaveOpen, seenByTag } from "./conclude.ts";
import type { LaunchParts } from "./parts.ts";
import type { Ground, Times } from "./scale-up.ts";
import type { ScaleUpEvent } from "./scale-up-event.ts";
import { afterWithdrawal, observedLaunch, settleLaunch, tokenOver } from "./settle-launch.ts";

/** An attempt that this invocation drives under a lease. */
export interface Driven {
  readonly name: AgentName;
  readonly ground: Ground;
  /** Offerings that may still be tried, in their order. */
  readonly open: readonly Offering[];
  readonly times: Times;
  readonly owner: string;
  readonly stored: Stored<AgentRecord>;
  readonly attempt: Attempt;
  readonly request: LaunchRequest;
}

/** How long an offering that had no capacity is left alone. */
const coolOffMs = 3 * 60_000;
/** How long a call without an answer may still be on its way: its own timeout and some more. */
const quietMs = 15_000;
const mostRepeats = 3;

/** What is left to try after an offering refused: elsewhere, only other types, or nothing. */
const onwards: Readonly<Partial<Record<LaunchRefusal, (failed: Offering, next: Offering) => boolean>>> = {
  "no-capacity": () => true,
  "no-addresses": (failed, next) => next.subnet !== failed.subnet,
  quota: (failed, next) => next.instanceType !== failed.instanceType,
  "spot-limit": () => false,
};

/**
 * Carries attempts out, one offering after the other, until one launches or none is left. Each is recorded before its
 * call; an answer that does not tell repeats the same attempt with the same token (design: rules 2 and 5).
 */
export async function walkOfferings(parts: LaunchParts, event: ScaleUpEvent, first: Driven): Promise<Answer> {
  let driven = first;
  for (let repeats = 0; ; ) {
    const { name, attempt, owner } = driven;
    if (parts.clock.now() >= driven.times.walkUntil) return giveUp(parts, driven, "OutOfTime");
    const sent = await parts.launches.launch(driven.request);
    tell(parts, driven, sent);
    if (sent.outcome === "launched") return settleLaunch(parts, driven, sent.id);
    if (sent.outcome === "observed") return observedLaunch(parts, driven);
    if (sent.outcome === "unknown") {
      repeats += 1;
      driven = unsure(driven, parts.clock.now());
      if (repeats >= mostRepeats) return giveUp(parts, driven, sent.code);
      await pause(500);
      continue;
    }
    const { kind, code } = sent;
    if (kind === "token-mismatch") return concludeByLook(parts, name, attempt, owner);
    if (kind === "token-over") return tokenOver(parts, driven);

    const mayGoOn = onwards[kind];
    const unsureAt = driven.stored.value.unsureAt;
    if (unsureAt !== undefined) {
      // A repeat was refused, which tells nothing of the call before it unless that one can no longer be on its way.
      if (mayGoOn === undefined || parts.clock.now() - unsureAt < quietMs) return giveUp(parts, driven, code);
      const instanceId = await seenByTag(parts, name);
      if (instanceId !== undefined) return adopt(parts, name, attempt, instanceId);
    }
    await coolOff(parts, attempt.offering, kind);
    const left = mayGoOn === undefined ? [] : offeringsAfter(driven, mayGoOn);
    const [next] = left;
    if (next === undefined || parts.clock.now() >= driven.times.walkUntil) return fail(parts, driven, code);
    const moved = await moveOn(parts, event, { ...driven, open: left }, next);
    if ("refusal" in moved || "status" in moved) return moved;
    driven = moved;
    repeats = 0;
  }
}

const unsure = (driven: Driven, unsureAt: number): Driven => ({
  ...driven,
  stored: { ...driven.stored, value: { ...driven.stored.value, unsureAt } },
});

async function coolOff(parts: LaunchParts, offering: Offering, kind: LaunchRefusal): Promise<void> {
  if (kind === "no-capacity") await parts.coolOffs.start(coolOffName(offering), coolOffMs);
  if (kind === "no-addresses") await parts.coolOffs.start(subnetCoolOffName(offering), coolOffMs);
}

/** What is still to be tried after the failed one, in their order: each failure rules out what would fail alike. */
function offeringsAfter({ open, attempt }: Driven, fits: (failed: Offering, next: Offering) => boolean): Offering[] {
  const failed = attempt.offering;
  const at = open.findIndex(
    ({ instanceType, subnet }) => instanceType === failed.instanceType && subnet === failed.subnet,
  );
  return open.slice(at + 1).filter((offering) => fits(failed, offering));
}

/** The next attempt, recorded over exactly the last: a scale-down that came meanwhile is seen here, before the call. */
async function moveOn(
  parts: LaunchParts,
  event: ScaleUpEvent,
  driven: Driven,
  offering: Offering,
): Promise<Driven | Answer> {
  const { name, ground, stored } = driven;
  const number = driven.attempt.number + 1;
  const next = freeze(event, { stack: parts.stack, ...ground, number, offering, now: parts.clock.now() });
  const { unsureAt: _settled, ...before } = stored.value;
  const written = await parts.agents.write(name, stored, { ...before, attempt: next.attempt });
  if (!written.written || written.stored === undefined) return afterWithdrawal(parts, driven);
  return { ...driven, ...next, stored: written.stored };
}

/** Nobody knows whether the attempt launched. Its place stays taken until somebody finds out. */
async function giveUp(parts: LaunchParts, driven: Driven, code: string): Promise<Answer> {
  const unsureAt = driven.stored.value.unsureAt ?? parts.clock.now();
  await leaveOpen(parts, driven.name, driven.attempt, driven.owner, unsureAt);
  return awsRefused(code, "EC2 gave no answer that tells whether the instance was launched", 5);
}

async function fail(parts: LaunchParts, driven: Driven, code: string): Promise<Answer> {
  const record = await concludeFailed(parts, driven.name, driven.attempt, driven.owner);
  if (record?.withdrawn !== undefined) return { status: "withdrawn", agentId: driven.name.agent };
  return awsRefused(code, "EC2 refused to launch an instance", 20);
}

function tell(parts: LaunchParts, { name, attempt }: Driven, sent: LaunchOutcome): void {
  const { number, offering, templateId, templateVersion } = attempt;
  const code = "code" in sent ? sent.code : undefined;
  const fields = { scaler: name.scaler, agent: name.agent, attempt: number, ...offering, templateId, templateVersion };
  const level = code === undefined ? "info" : "warn";
  parts.logger.log(level, "launch", { ...fields, outcome: sent.outcome, ...(code === undefined ? {} : { code }) });
  if (sent.outcome === "launched") parts.metrics.count("Launches", 1, { Outcome: "launched", Scaler: name.scaler });
  if (code === undefined) return;
  const needsPerson = sent.outcome === "refused" && (sent.kind === "denied" || sent.kind === "invalid");
  countRefusal(parts.metrics, code, { Scaler: name.scaler }, needsPerson);
}
