import { isDraining } from "./candidate-decision.ts";
import type { InstanceNotes } from "./host-notes.ts";
import type { HostAction, HostsObservation } from "./host-observation.ts";
import type { Pair } from "./host-pairs.ts";
import { mayAnswer } from "./launch-decision.ts";

/** How many join deadlines an instance in service may be without a host before it is given up. */
const patience = 2;

/**
 * Instances in service that asked for a token, and never used one: paid for and counted by nobody. They came through
 * when a launch hook timed out while Drover was away, or their group has no hook. Whoever performs this proves it first,
 * as for an abandoned launch. One that never asked may have joined under another name, and is only a finding.
 */
export function decideUnjoined(
  { group, zoomies, joins, fleet, now, settings }: HostsObservation,
  pairs: readonly Pair[],
  notes: Map<string, InstanceNotes>,
): HostAction[] {
  if (zoomies === undefined) return [];
  const draining = [...notes.values()].filter(isDraining).length;
  let room = Math.min(fleet.maxDrains, group.desired - group.min - draining);
  const actions: HostAction[] = [];
  for (const { instance, host } of pairs) {
    const own = notes.get(instance.id);
    if (room <= 0 || own === undefined) break;
    const isLate = now - own.seenAt >= settings.joinDeadlineMs * patience;
    const asked = joins.has(instance.id) && own.hostId === undefined && own.drain === undefined;
    if (host !== undefined || instance.state !== "InService" || !isLate || !asked || !mayAnswer(own, now)) continue;
    room -= 1;
    notes.set(instance.id, { ...own, answeredAt: now });
    actions.push({ kind: "terminate-unjoined", instance: instance.id, reason: "it asked to join and never did" });
  }
  return actions;
}
