import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import type { Group } from "../capacity/group.ts";
import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { ShrinkFacts } from "../capacity/shrink.ts";
import { errorFields } from "../edge/logger.ts";
import type { Stored } from "../ledger/records.ts";
import type { GroupLease } from "./group-lease.ts";
import { decideHosts } from "./host-decision.ts";
import { applyEffect } from "./host-effects.ts";
import { emptyHostsRecord, type HostsRecord, hostsKey } from "./host-notes.ts";
import type { Ended, HostAction, HostsDecision, HostsObservation, Supply, ZoomiesView } from "./host-observation.ts";
import type { LifeParts } from "./host-parts.ts";
import { type InterruptionMarks, interruptionsKey } from "./interruption-marks.ts";
import { observeHosts } from "./observe-hosts.ts";
import { type Done, performAll } from "./perform-all.ts";
import { cordonAgain, settleInterruptions } from "./settle-interruptions.ts";
import { tellDone, tellEnded } from "./tell-hosts.ts";

export interface HostLife {
  readonly supply: Supply;
  readonly failed: boolean;
}

/** Assumed until a decision wants to end something; then they are read. */
const noObstacles: ShrinkFacts = { activePolicies: [], scheduledActions: [], activeRefreshes: [] };
/** A record whose only news is the time of the look is written this often, well within the longest gap. */
const rewriteMs = 2 * 60_000;

/**
 * One look at one held group's hosts and what follows from it: decide, record the intents, act, record the effects
 * (design: rules 1 and 2). A crash anywhere leaves intents that the next look finds and settles.
 */
export async function liveHosts(
  parts: LifeParts,
  lease: GroupLease,
  group: Group,
  fleet: ZoomiesFleet,
  zoomies: ZoomiesView | undefined,
  orphans: HostsRecord["instances"] = {},
): Promise<HostLife> {
  const [notes, noted] = await parts.records.readAll<unknown>([hostsKey(group.name), interruptionsKey(group.name)]);
  const stored = notes as Stored<HostsRecord> | undefined;
  const marks = (noted?.value ?? {}) as InterruptionMarks;
  const { readings } = lease.held().stored.value;
  const known = stored?.value ?? emptyHostsRecord;
  const record = { ...known, instances: { ...orphans, ...known.instances } };
  const noticed = new Set(Object.keys(marks));
  const observation = await observeHosts(parts, { group, fleet, zoomies, record, readings, noticed });
  const { decision, looked } = await decideWithRules(parts, observation);

  tell(parts, group.name, decision, observation);
  if (decision.supply.stop !== undefined) {
    parts.metrics.count("Stalled", 1, { What: "raise", Fleet: group.name });
  }
  await tellEnded(parts, group.name, decision.ended);
  const intended = parts.life.acts.intents(record, decision);
  const intents = await write(parts, group.name, stored, intended, decision.actions.length > 0);
  const done = await performAll({ parts, lease, observation: looked }, decision.actions);
  await tellDone(parts, group.name, record, done);
  let after = intents?.value ?? intended;
  for (const { action, effect } of done) after = applyEffect(after, action.instance, effect, parts.clock.now());
  await tellEnded(parts, group.name, done.flatMap(endedBy));
  if (done.some(({ effect }) => effect.drain !== undefined || effect.hostId !== undefined || effect.abandoned)) {
    await write(parts, group.name, intents, after, true);
  }
  const doing = { parts, lease, observation: { ...looked, record: after } };
  const given = fleet.paused || zoomies === undefined ? [] : await settleInterruptions(doing, zoomies, marks);
  await cordonAgain(doing, [...done, ...given], marks);
  // What never joined and has just been ended no longer stands in desired capacity.
  const gone = done.filter(({ action, effect }) => action.kind === "terminate-unjoined" && effect.ended).length;
  return {
    supply: { ...decision.supply, lost: Math.max(decision.supply.lost - gone * fleet.slotsPerHost, 0) },
    failed: [...done, ...given].some(({ effect }) => effect.failed),
  };
}

const ends = new Set<HostAction["kind"]>(["cordon", "terminate", "terminate-unjoined"]);

/** Decides; where something is to end, once more with what else could end or move instances of the group. */
export async function decideWithRules(
  { life, logger, metrics }: LifeParts,
  observation: HostsObservation,
): Promise<{ decision: HostsDecision; looked: HostsObservation }> {
  const assuming = { ...observation, facts: noObstacles };
  const first = decideHosts(assuming);
  if (!first.actions.some(({ kind }) => ends.has(kind))) return { decision: first, looked: assuming };
  const facts = await life.shrink.facts(observation.group.name).catch((error: unknown) => {
    logger.log("error", "rules unseen", errorFields(error));
    countRefusal(metrics, errorCode(error), { Fleet: observation.group.name });
    return undefined;
  });
  const looked = { ...observation, facts };
  return { decision: decideHosts(looked), looked };
}

/** Writes the record over what was read; throws when another writer was faster, before anything was done. */
async function write(
  { records }: LifeParts,
  group: string,
  read: Stored<HostsRecord> | undefined,
  value: HostsRecord,
  always: boolean,
): Promise<Stored<HostsRecord> | undefined> {
  if (!always && read !== undefined && isSame(read.value, value)) return read;
  const key = hostsKey(group);
  const written = read === undefined ? await records.create(key, value) : await records.replace(key, read, value);
  if (written.outcome === "conflict") throw new Error(`The hosts of ${group} were written by somebody else.`);
  return written.stored;
}

function isSame(before: HostsRecord, after: HostsRecord): boolean {
  if (after.lookedAt - before.lookedAt >= rewriteMs) return false;
  return JSON.stringify({ ...before, lookedAt: 0 }) === JSON.stringify({ ...after, lookedAt: 0 });
}

function endedBy({ action, effect }: Done): Ended[] {
  return effect.ended === undefined ? [] : [{ instance: action.instance, key: action.instance, ...effect.ended }];
}

function tell(
  parts: LifeParts,
  group: string,
  { actions, reasons, findings }: HostsDecision,
  { zoomies }: HostsObservation,
): void {
  for (const finding of findings) parts.logger.log("warn", "finding", { ...finding });
  parts.logger.log("info", "hosts", { fleet: group, actions: actions.length, reasons, seen: zoomies !== undefined });
}
