import type { Finding } from "../capacity/finding.ts";
import type { LifecycleHook } from "../capacity/hooks.ts";
import { unsafeToShrink } from "../capacity/safety.ts";
import { chooseCandidates, isCounted } from "./candidate-decision.ts";
import { decideDrain, startDrain } from "./drain-decision.ts";
import { decideDeparted, decideEnding } from "./ending-decision.ts";
import { hostFindings } from "./host-findings.ts";
import type { HostsRecord, InstanceNotes } from "./host-notes.ts";
import type { Ended, HostAction, HostsDecision, HostsObservation } from "./host-observation.ts";
import { isAlive, isEnding, isIdle, type Pair, pairHosts, whyNotEligible } from "./host-pairs.ts";
import { decideLaunch } from "./launch-decision.ts";
import { withoutDrains, withoutWayBack } from "./noticed.ts";
import { type PoolNeed, poolNeed } from "./pool-need.ts";
import { servedReadings } from "./served-readings.ts";
import { supplyOf } from "./supply.ts";
import { targetSlots } from "./target.ts";
import { decideUnjoined } from "./unjoined-decision.ts";

/** Looks further apart than this do not join up to one idle time. */
const longestGapMs = 5 * 60_000;

/**
 * What to do about one group's hosts now (design: rule 1). Whatever could not be seen proves nothing: without Zoomies only
 * waits are prolonged, and without the facts about the group no host begins to leave.
 */
export function decideHosts(observation: HostsObservation): HostsDecision {
  const { group, fleet, zoomies, record, now, settings, facts } = observation;
  const pairs = pairHosts(observation);
  const notes = new Map<string, InstanceNotes>();
  const actions: HostAction[] = [];
  const ended: Ended[] = [];
  const isPaused = fleet.paused;
  const hostIds = new Set(pairs.flatMap(({ host }) => host?.id ?? []));
  const need = zoomies === undefined ? undefined : poolNeed(fleet, zoomies, hostIds);
  const unsafe = facts === undefined ? [] : unsafeToShrink(group, facts);
  const isSafe = facts !== undefined && unsafe.length === 0;
  const slots = Math.max(
    need?.slots ?? 0,
    targetSlots(servedReadings(fleet, observation.readings), now, settings.freshMs) ?? 0,
  );
  // Without scale-in the hook of a launch is not ours to answer, though something else about the group is looked after.
  const launching = fleet.scaleIn === "verified" ? theHook(observation.hooks, "launching") : undefined;
  const terminating = theHook(observation.hooks, "terminating");
  const giveUp = whyGiveUp(observation, pairs, need, unsafe, slots);
  const at = { now, lookedAt: zoomies?.at, schedulerIntervalMs: settings.schedulerIntervalMs };

  for (const pair of pairs) {
    const { instance } = pair;
    const own = seen(pair, observation);
    let step: { notes: InstanceNotes | undefined; actions: readonly HostAction[]; ended?: Ended } = {
      notes: own,
      actions: [],
    };
    if (isPaused) step = { notes: own, actions: [] };
    else if (instance.state === "Pending:Wait" && launching !== undefined) {
      const launch = decideLaunch(pair, own, launching, zoomies !== undefined, now, settings);
      step = { notes: launch.notes, actions: launch.action === undefined ? [] : [launch.action] };
    } else if (instance.state === "Terminating:Wait" && terminating !== undefined) {
      step = decideEnding(pair, own, terminating, at);
    } else if (own.drain !== undefined && !isEnding(instance) && instance.state !== "Terminated") {
      const isUnwanted = observation.unwanted?.has(own.drain.key) === true;
      const whyBack = isUnwanted ? "an operator wants it given up" : giveUp;
      step = decideDrain(pair, own, own.drain, { ...at, giveUp: whyBack, isSafe, drainMs: fleet.drainMs });
    }
    if (step.notes !== undefined) notes.set(instance.id, step.notes);
    actions.push(...step.actions);
    if (step.ended !== undefined) ended.push(step.ended);
  }
  departed(observation, notes, actions, ended);

  const reasons: string[] = [];
  const held = whyNoneLeaves(observation, giveUp);
  if (held !== undefined) reasons.push(held);
  else {
    const room = { fleet, now, min: group.min, desired: group.desired, neededSlots: slots };
    const candidates = chooseCandidates(pairs, notes, room);
    reasons.push(...candidates.reasons);
    for (const { instance, host } of candidates.chosen) {
      const step = startDrain(
        instance.id,
        host?.id ?? "",
        notes.get(instance.id) ?? { seenAt: now },
        now,
        "idle and not needed",
      );
      notes.set(instance.id, step.notes);
      actions.push(...step.actions);
    }
  }
  // Nobody counts on these, so need is no reason to keep them.
  if (isSafe && !isPaused && fleet.scaleIn === "verified") actions.push(...decideUnjoined(observation, pairs, notes));

  const joinedNow = pairs.some(
    ({ instance, host }) => host?.healthy && record.instances[instance.id]?.hostId === undefined,
  );
  const next: HostsRecord = {
    instances: Object.fromEntries(notes),
    lookedAt: zoomies === undefined ? record.lookedAt : now,
    abandons: joinedNow ? { count: 0, lastAt: 0 } : record.abandons,
  };
  const noticed = observation.noticed ?? new Set();
  return {
    record: next,
    actions: withoutWayBack(actions, noticed),
    ended,
    findings: [...unsafe, ...hostFindings(observation, pairs, notes, need)],
    reasons,
    supply: supplyOf({ ...observation, record: next }, pairs, withoutDrains(notes, noticed), need),
  };
}

/** The notes of one instance after this look: its host's id, and its idle clock. */
function seen(pair: Pair, { record, zoomies, fleet, now }: HostsObservation): InstanceNotes {
  const before = record.instances[pair.instance.id];
  const { leftAt: _back, observed: _told, idleSince, hostlessSince, ...rest } = before ?? { seenAt: now };
  if (zoomies === undefined) return before ?? { seenAt: now };
  const { host } = pair;
  if (host === undefined) return { ...rest, ...(hostlessSince === undefined ? {} : { hostlessSince }) };
  const isSame = before?.hostId === undefined || before.hostId === host.id;
  const isSettled = pair.oddity === undefined && whyNotEligible(host, fleet) === undefined && isIdle(pair);
  if (!isSettled) return { ...rest, hostId: host.id };
  const isContinuous = isSame && now - record.lookedAt <= longestGapMs && now >= record.lookedAt;
  return { ...rest, hostId: host.id, idleSince: isContinuous ? (idleSince ?? now) : now };
}

/** Instances that we knew and that are no longer in the group. */
function departed(
  { group, record, zoomies, states, fleet, now }: HostsObservation,
  notes: Map<string, InstanceNotes>,
  actions: HostAction[],
  ended: Ended[],
): void {
  const present = new Set(group.instances.map(({ id }) => id));
  for (const [id, before] of Object.entries(record.instances)) {
    if (present.has(id)) continue;
    const { observed: _told, ...known } = before;
    const own = { ...known, leftAt: before.leftAt ?? now };
    const rows = zoomies?.hosts.filter((host) => host.name === id || host.id === before.hostId);
    if (fleet.paused || states === undefined) {
      notes.set(id, own);
      continue;
    }
    const step = decideDeparted(id, own, rows, states.get(id), now);
    if (step.notes !== undefined) notes.set(id, step.notes);
    actions.push(...step.actions);
    if (step.ended !== undefined) ended.push(step.ended);
  }
}

/** The group's hook of this kind that is Drover's to answer: the only one, or the one that is named for it. */
export function theHook(
  hooks: readonly LifecycleHook[],
  transition: LifecycleHook["transition"],
): LifecycleHook | undefined {
  const found = hooks.filter((hook) => hook.transition === transition);
  return found.length === 1 ? found[0] : found.find(({ name }) => name.startsWith("drover"));
}

/** Why every drain that can still turn back must: a newer demand, or a group that is not safe to shrink any more. */
function whyGiveUp(
  { fleet, group, zoomies, facts, record }: HostsObservation,
  pairs: readonly Pair[],
  need: PoolNeed | undefined,
  unsafe: readonly Finding[],
  slots: number,
): string | undefined {
  if (fleet.scaleIn !== "verified") return "drover:scale-in is off";
  if (facts !== undefined && unsafe.length > 0) return unsafe.map(({ message }) => message).join(" ");
  if (zoomies === undefined || need === undefined) return undefined;
  if (need.missing.length > 0) return `Zoomies has no pool ${need.missing.join(" ")}`;
  if (need.waiting !== undefined) return `pool ${need.waiting} has jobs that wait`;
  // A host whose cordon has not landed yet is still counted by Zoomies, and is to go all the same.
  const isToGo = ({ instance }: Pair) => record.instances[instance.id]?.drain?.phase === "cordoning";
  const counted = pairs.filter((pair) => isAlive(pair.instance) && isCounted(pair, fleet) && !isToGo(pair));
  const stays = counted.reduce((sum, { host }) => sum + (host?.capacity ?? 0), 0) + fleet.outsideSlots;
  if (stays < slots) return `${slots} slots are needed of ${stays}`;
  return group.desired <= group.min ? `MinSize is ${group.min}` : undefined;
}

/** Why no host begins to leave in this look. */
function whyNoneLeaves({ fleet, zoomies, facts }: HostsObservation, giveUp: string | undefined): string | undefined {
  if (fleet.paused) return "the group is paused";
  if (zoomies === undefined) return "Zoomies could not be seen whole, so nothing is proven";
  if (giveUp !== undefined) return giveUp;
  return facts === undefined ? "the group's own rules were not looked at" : undefined;
}
