import type { InstanceState } from "../capacity/instance-states.ts";
import type { GroupMemory, SeenInstance } from "./group-memory.ts";
import type { Observation } from "./observation.ts";
import type { WorkerHost } from "./protocol.ts";

export interface AbsenceSettings {
  readonly absenceMs: number;
  readonly launchLagMs: number;
}

export interface Sightings {
  /** Instances to keep in mind. */
  readonly seen: GroupMemory["seen"];
  /** Instances whose absence is confirmed: gone in two looks, apart from each other (invariant 28). */
  readonly absent: ReadonlySet<string>;
  /** Instances of hosts that EC2 does not know and our ledger never saw: that proves nothing. */
  readonly unproven: readonly string[];
}

/**
 * What the looks so far say of the instances behind a Worker group's hosts. Never from an Auto Scaling group's list alone:
 * EC2 has to call the instance terminated, or not to know one that our ledger once saw in our groups, that its group does
 * not list any more and that is too old for the lag after a launch (cases.md 27, 68).
 */
export function sightings(
  before: GroupMemory["seen"],
  { observedAt: now, pools, rows, strays, instances }: Observation,
  { absenceMs, launchLagMs }: AbsenceSettings,
): Sightings {
  const seen: Record<string, SeenInstance> = {};
  const absent = new Set<string>();
  const keep = (id: string, entry: SeenInstance, isGone: boolean) => {
    const { goneSince: _, ...rest } = entry;
    const goneSince = before[id]?.goneSince;
    seen[id] = isGone ? { ...rest, goneSince: goneSince ?? now } : rest;
    if (isGone && goneSince !== undefined && now - goneSince >= absenceMs) absent.add(id);
  };

  for (const { fleet, members } of pools) {
    for (const { instance, role } of members) {
      const { notReadySince, since = now } = before[instance.id] ?? {};
      const isReady = role === "active" || role === "draining" || role === "ready";
      const waiting = isReady ? {} : { notReadySince: notReadySince ?? now };
      keep(instance.id, { group: fleet.group, since, ...waiting }, instances.get(instance.id) === "terminated");
    }
  }
  for (const [id, known] of Object.entries(before)) {
    if (seen[id] === undefined) keep(id, known, isGone(instances.get(id), known, now - known.since >= launchLagMs));
  }
  const unproven: string[] = [];
  for (const { resource_id: id } of [...rows, ...strays]) {
    if (seen[id] !== undefined) continue;
    const state = instances.get(id);
    if (state === "terminated") keep(id, { group: "", since: now }, true);
    else if (state === undefined) unproven.push(id);
  }
  return { seen, absent, unproven };
}

function isGone(state: InstanceState | undefined, known: SeenInstance, isOld: boolean): boolean {
  return state === "terminated" || (state === undefined && isOld && known.group !== "");
}

/** The hosts of confirmed absent instances that Helmr is to be told of, each once. */
export function absentHosts(
  { rows, strays, hostOf, workerGroup }: Observation,
  absent: ReadonlySet<string>,
): WorkerHost[] {
  const found = new Map<string, WorkerHost>();
  for (const host of [...hostOf.values(), ...rows, ...strays]) {
    if (absent.has(host.resource_id) && host.worker_group_id === workerGroup.id) found.set(host.id, host);
  }
  return [...found.values()];
}
