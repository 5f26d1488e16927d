import type { Drain, DrainOutcome, InstanceNotes } from "./host-notes.ts";
import type { Ended, HostAction } from "./host-observation.ts";
import { isEmpty, type Pair } from "./host-pairs.ts";

/** Between the first and the second look that find a host empty, in milliseconds (zoomies-notes 4, step 6). */
const secondLookMs = 30_000;
/** A terminate whose reply was lost has landed by then or never will; only then may it be repeated. */
const repeatAfterMs = 60_000;

export interface DrainCircumstances {
  readonly now: number;
  /** When Zoomies was looked at; undefined when it could not be seen whole. */
  readonly lookedAt: number | undefined;
  /** Why every drain that is not yet terminating is given up: newer demand, an unsafe group, a tag. */
  readonly giveUp: string | undefined;
  /** Whether the group was just found safe to shrink: without that no instance is ended. */
  readonly isSafe: boolean;
  readonly schedulerIntervalMs: number;
  readonly drainMs: number;
}

export interface DrainStep {
  readonly notes: InstanceNotes;
  readonly actions: readonly HostAction[];
  readonly ended?: Ended;
}

/** One drain at one look. */
interface Underway {
  readonly pair: Pair;
  readonly notes: InstanceNotes;
  readonly drain: Drain;
  readonly now: number;
}

/** Starts a drain: the intent to cordon, and the cordon. */
export function startDrain(instance: string, hostId: string, notes: InstanceNotes, now: number, reason: string) {
  const drain: Drain = { key: `${instance}#${now}`, phase: "cordoning", hostId, startedAt: now, changedAt: now };
  const action: HostAction = { kind: "cordon", instance, hostId, reason };
  return { notes: { ...notes, drain }, actions: [action] };
}

/**
 * The next step of one scale-in whose instance is in service (zoomies-notes 4). Anything but proof goes back or waits:
 * a runner that is busy, another host id, a cordon that is gone. From `terminating` on there is no way back, because a
 * terminate that was sent may land at any time.
 */
export function decideDrain(pair: Pair, notes: InstanceNotes, drain: Drain, at: DrainCircumstances): DrainStep {
  const { now, lookedAt } = at;
  const one: Underway = { pair, notes, drain, now };
  const overdue = now - drain.startedAt > at.drainMs;
  // What was seen before the phase began says nothing of it, and what could not be seen says nothing at all.
  if (lookedAt === undefined || lookedAt <= drain.changedAt) return { notes, actions: [] };
  if (drain.phase === "uncordoning") return wayBack(one);
  if (drain.phase === "terminating" || drain.phase === "terminated") return repeat(one, at.isSafe, overdue);

  const lost = whyOver(pair, drain);
  if (lost !== undefined) return end(one, "cancelled", lost);
  if (at.giveUp !== undefined) return turnBack(one, "cancelled", at.giveUp);
  if (pair.oddity !== undefined) return turnBack(one, "cancelled", pair.oddity);
  if (pair.runners.some(({ state }) => state === "busy")) return turnBack(one, "cancelled", "a job runs on it");
  if (overdue) return turnBack(one, "stalled", `it was not empty within ${at.drainMs / 60_000} minutes`);

  const { instance, host } = pair;
  if (drain.phase === "cordoning" && !host?.cordoned) {
    const action: HostAction = { kind: "cordon", instance: instance.id, hostId: drain.hostId, reason: "once more" };
    return { notes: { ...notes, drain: { ...drain, changedAt: now } }, actions: [action] };
  }
  if (drain.phase === "cordoning") return move(one, { phase: "cordoned", cordonedAt: now });
  if (!host?.healthy || host.incompatible || !isEmpty(pair)) return keepDraining(one);
  if (drain.phase === "cordoned") {
    const isLateEnough = lookedAt - (drain.cordonedAt ?? now) >= 2 * at.schedulerIntervalMs;
    return isLateEnough ? move(one, { phase: "empty", emptyAt: lookedAt }) : { notes, actions: [] };
  }
  if (lookedAt - (drain.emptyAt ?? now) < secondLookMs) return { notes, actions: [] };
  if (!at.isSafe) return { notes, actions: [] };
  return terminate(one, "cordoned and seen empty twice");
}

/** Why there is nothing left to do or to undo. */
function whyOver({ host }: Pair, drain: Drain): string | undefined {
  if (host === undefined) return "its host row is gone";
  if (host.id !== drain.hostId) return "another host has its name now";
  if (drain.phase !== "cordoning" && !host.cordoned) return "somebody uncordoned it";
  return undefined;
}

function end({ pair, notes, drain, now }: Underway, outcome: DrainOutcome, reason: string): DrainStep {
  const { drain: _over, ...rest } = notes;
  // Its idle clock begins anew, so that a host which was given back is not taken again at once.
  const again = rest.idleSince === undefined ? rest : { ...rest, idleSince: now };
  return { notes: again, actions: [], ended: { instance: pair.instance.id, key: drain.key, outcome, reason } };
}

function turnBack({ pair, notes, drain, now }: Underway, outcome: DrainOutcome, reason: string): DrainStep {
  const back: Drain = { ...drain, phase: "uncordoning", changedAt: now, back: { outcome, reason } };
  const action: HostAction = { kind: "uncordon", instance: pair.instance.id, hostId: drain.hostId, reason };
  return { notes: { ...notes, drain: back }, actions: [action] };
}

/** Uncordons until the host is seen uncordoned: a call that was lost or never sent is made again. */
function wayBack(one: Underway): DrainStep {
  const { pair, drain } = one;
  const { outcome, reason } = drain.back ?? { outcome: "cancelled" as const, reason: "given up" };
  if (pair.host === undefined || pair.host.id !== drain.hostId || !pair.host.cordoned) {
    return end(one, outcome, reason);
  }
  return turnBack(one, outcome, reason);
}

function repeat(one: Underway, isSafe: boolean, overdue: boolean): DrainStep {
  const { pair, notes, drain, now } = one;
  if (now - drain.changedAt < repeatAfterMs) return { notes, actions: [] };
  const proven = pair.host?.id === drain.hostId && pair.oddity === undefined && pair.host.cordoned && isEmpty(pair);
  if (isSafe && proven && pair.host.healthy && !pair.host.incompatible) {
    return terminate(one, "still in service, still empty");
  }
  if (!overdue) return { notes, actions: [] };
  return turnBack(one, "stalled", "it was not terminated in time");
}

function terminate({ pair, notes, drain, now }: Underway, reason: string): DrainStep {
  const terminating: Drain = { ...drain, phase: "terminating", changedAt: now };
  const action: HostAction = { kind: "terminate", instance: pair.instance.id, hostId: drain.hostId, reason };
  return { notes: { ...notes, drain: terminating }, actions: [action] };
}

/** Idle runners are asked to go; others are waited for. An emptiness seen before counts no more. */
function keepDraining({ pair: { instance, runners }, notes, drain, now }: Underway): DrainStep {
  const { emptyAt: _seen, ...rest } = drain;
  const still: Drain = drain.phase === "empty" ? { ...rest, phase: "cordoned", changedAt: now } : drain;
  const idle = runners.filter(({ state }) => state === "idle").map(({ id }) => id);
  const actions: HostAction[] =
    idle.length === 0
      ? []
      : [
          {
            kind: "drain",
            instance: instance.id,
            hostId: drain.hostId,
            runners: idle,
            reason: "idle runners on a cordoned host",
          },
        ];
  return { notes: { ...notes, drain: still }, actions };
}

function move({ notes, drain, now }: Underway, change: Partial<Drain>): DrainStep {
  return { notes: { ...notes, drain: { ...drain, ...change, changedAt: now } }, actions: [] };
}
