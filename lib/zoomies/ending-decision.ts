import type { LifecycleHook } from "../capacity/hooks.ts";
import type { InstanceState } from "../capacity/instance-states.ts";
import type { Host } from "./api.ts";
import type { Drain, DrainOutcome, InstanceNotes } from "./host-notes.ts";
import type { Ended, HostAction } from "./host-observation.ts";
import { isEmpty, type Pair } from "./host-pairs.ts";
import { heartbeat, mayAnswer } from "./launch-decision.ts";

const secondLookMs = 30_000;
/** EC2 shows a new instance late and forgets a terminated one after an hour: absence means gone only for old ones. */
const knownByEc2Ms = 10 * 60_000;

export interface EndingStep {
  /** Undefined when nothing is left to remember. */
  readonly notes: InstanceNotes | undefined;
  readonly actions: readonly HostAction[];
  readonly ended?: Ended;
}

interface EndingCircumstances {
  readonly now: number;
  readonly lookedAt: number | undefined;
  readonly schedulerIntervalMs: number;
}

/**
 * An instance that waits in a termination hook, whoever ended it (cases.md 76): its host is cordoned, kept alive by
 * heartbeats while anything runs on it, and let go when it is proven empty. A host that is silent proves nothing: the
 * hook's own timeout decides then.
 */
export function decideEnding(
  pair: Pair,
  notes: InstanceNotes,
  hook: LifecycleHook,
  at: EndingCircumstances,
): EndingStep {
  const { now, lookedAt } = at;
  const { instance, host } = pair;
  const alive = (reason: string): EndingStep => {
    const step = heartbeat(notes, instance.id, hook, now, reason);
    return { notes: step.notes, actions: "action" in step ? [step.action] : [] };
  };
  const letGo = (reason: string, hostId: string | undefined): EndingStep => {
    if (!mayAnswer(notes, now)) return { notes, actions: [] };
    const action: HostAction = { kind: "complete-termination", instance: instance.id, hook: hook.name, hostId, reason };
    return { notes: { ...notes, answeredAt: now }, actions: [action] };
  };
  if (lookedAt === undefined) return alive("Zoomies could not be asked");
  if (host === undefined) {
    const since = notes.hostlessSince;
    if (since === undefined) return { notes: { ...notes, hostlessSince: lookedAt }, actions: [] };
    return lookedAt - since >= secondLookMs ? letGo("it has no host", undefined) : { notes, actions: [] };
  }
  // It can never be proven empty; kept alive for ever it would only be paid for.
  if (pair.oddity !== undefined) return isEmpty(pair) ? { notes, actions: [] } : alive(pair.oddity);
  if (!host.healthy || host.incompatible) return { notes, actions: [] };

  // Whatever else this look leads to: while something runs, the hook's own timeout must not end it.
  const kept = isEmpty(pair) ? { notes, actions: [] } : alive("something runs on its host");
  const { drain } = notes;
  const withDrain = (changed: Drain, cordons: boolean): EndingStep => {
    const reason = "its instance is ending";
    const cordon: HostAction = { kind: "cordon", instance: instance.id, hostId: host.id, reason };
    const actions = [...kept.actions, ...(cordons ? [cordon] : [])];
    return { notes: { ...(kept.notes ?? notes), drain: changed }, actions };
  };
  if (drain === undefined || drain.hostId !== host.id || drain.phase === "uncordoning") {
    const key = `${instance.id}#${now}`;
    const begun: Drain = { key, phase: "cordoning", hostId: host.id, startedAt: now, changedAt: now };
    return withDrain(begun, !host.cordoned);
  }
  if (lookedAt <= drain.changedAt) return kept;
  if (!host.cordoned) return withDrain({ ...drain, phase: "cordoning", changedAt: now }, true);
  if (drain.phase === "cordoning") {
    const { emptyAt: _seen, ...rest } = drain;
    return withDrain({ ...rest, phase: "cordoned", cordonedAt: now, changedAt: now }, false);
  }
  if (!isEmpty(pair)) {
    const { emptyAt: _seen, ...rest } = drain;
    const idle = pair.runners.filter(({ state }) => state === "idle").map(({ id }) => id);
    const asks: HostAction[] =
      idle.length === 0
        ? []
        : [{ kind: "drain", instance: instance.id, hostId: host.id, runners: idle, reason: "its instance is ending" }];
    return {
      notes: { ...(kept.notes ?? notes), drain: { ...rest, phase: isOurs(drain) ? drain.phase : "cordoned" } },
      actions: [...kept.actions, ...asks],
    };
  }
  if (lookedAt - (drain.cordonedAt ?? now) < 2 * at.schedulerIntervalMs) return { notes, actions: [] };
  if (drain.emptyAt === undefined) return { notes: { ...notes, drain: { ...drain, emptyAt: lookedAt } }, actions: [] };
  if (lookedAt - drain.emptyAt < secondLookMs) return { notes, actions: [] };
  return letGo("its host is cordoned and was seen empty twice", host.id);
}

/** Whether it was Drover's terminate that ends the instance: nothing else moves a drain this far. */
const isOurs = ({ phase }: Drain): boolean => phase === "terminating" || phase === "terminated";

/** How a drain is called whose instance has left. */
const outcomeOfLeaving = (drain: Drain): DrainOutcome => (isOurs(drain) ? "removed" : "gone-by-others");

/**
 * An instance that is no longer in the group: once EC2 says that it is gone, its host row goes too, without force, and
 * then there is nothing left to remember. One that still runs was detached, and is nobody's to clean up.
 */
export function decideDeparted(
  instance: string,
  notes: InstanceNotes,
  rows: readonly Host[] | undefined,
  state: InstanceState | undefined,
  now: number,
): EndingStep {
  const isGone = state === "terminated" || (state === undefined && now - notes.seenAt > knownByEc2Ms);
  if (rows === undefined) return { notes, actions: [] };
  if (!isGone) return state === "running" ? giveBack(instance, notes, rows) : { notes, actions: [] };
  if (rows.length > 0) {
    const actions = rows.map(
      ({ id }): HostAction => ({ kind: "delete-row", instance, hostId: id, reason: "its instance is gone" }),
    );
    return { notes, actions };
  }
  const { drain } = notes;
  if (drain === undefined) return { notes: undefined, actions: [] };
  const outcome = outcomeOfLeaving(drain);
  const ended: Ended = { instance, key: drain.key, outcome, reason: "its instance and its host row are gone" };
  return { notes: undefined, actions: [], ended };
}

/** A detached instance keeps its host, and no cordon of ours. */
function giveBack(instance: string, notes: InstanceNotes, rows: readonly Host[]): EndingStep {
  const { drain, ...rest } = notes;
  if (drain === undefined || isOurs(drain)) return { notes, actions: [] };
  const host = rows.find(({ id }) => id === drain.hostId);
  const reason = "its instance was detached";
  if (host?.cordoned) {
    const action: HostAction = { kind: "uncordon", instance, hostId: drain.hostId, reason };
    return { notes: { ...notes, drain: { ...drain, phase: "uncordoning" } }, actions: [action] };
  }
  return { notes: rest, actions: [], ended: { instance, key: drain.key, outcome: "cancelled", reason } };
}
