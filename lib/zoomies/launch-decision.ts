import type { LifecycleHook } from "../capacity/hooks.ts";
import type { InstanceNotes } from "./host-notes.ts";
import type { HostAction, HostSettings } from "./host-observation.ts";
import type { Pair } from "./host-pairs.ts";

export interface WaitStep {
  readonly notes: InstanceNotes;
  readonly action?: HostAction;
}

/** Part of a hook's timeout after which its wait is extended, so that one missed run loses nothing. */
const heartbeatAfter = 1 / 3;
/** An answer may have landed though its reply was lost; the wait is seen to end before it is given again. */
const answerAgainMs = 30_000;

export const mayAnswer = (notes: InstanceNotes, now: number): boolean => now - (notes.answeredAt ?? 0) > answerAgainMs;

export function heartbeat(notes: InstanceNotes, instance: string, hook: LifecycleHook, now: number, reason: string) {
  const last = notes.heartbeatAt ?? notes.seenAt;
  if (now - last < hook.heartbeatSeconds * 1000 * heartbeatAfter) return { notes };
  const action: HostAction = { kind: "heartbeat", instance, hook: hook.name, reason };
  return { notes: { ...notes, heartbeatAt: now }, action };
}

/**
 * An instance in the launch hook: let through once its host is healthy, kept waiting while it may still join, given up at
 * the join deadline. That it never joined is proven by whoever performs `abandon-launch`: tokens revoked, none used, no
 * host. A host that did join is never abandoned, however sick; the hook's own timeout lets it through.
 */
export function decideLaunch(
  { instance, host, oddity }: Pair,
  notes: InstanceNotes,
  hook: LifecycleHook,
  sawZoomies: boolean,
  now: number,
  { joinDeadlineMs }: HostSettings,
): WaitStep {
  const { id } = instance;
  if (!sawZoomies) return heartbeat(notes, id, hook, now, "Zoomies could not be asked");
  if (host?.healthy && oddity === undefined) {
    if (!mayAnswer(notes, now)) return { notes };
    const action: HostAction = {
      kind: "complete-launch",
      instance: id,
      hook: hook.name,
      reason: "its host is healthy",
    };
    return { notes: { ...notes, answeredAt: now }, action };
  }
  const isLate = now - notes.seenAt >= joinDeadlineMs;
  if (!isLate) return heartbeat(notes, id, hook, now, "it may still join");
  if (host !== undefined || notes.hostId !== undefined || !mayAnswer(notes, now)) return { notes };
  const reason = `it did not join within ${joinDeadlineMs / 60_000} minutes`;
  return {
    notes: { ...notes, answeredAt: now },
    action: { kind: "abandon-launch", instance: id, hook: hook.name, reason },
  };
}
