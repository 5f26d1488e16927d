import type { GroupInstance } from "../capacity/group.ts";
import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { Host, Runner } from "./api.ts";
import type { HostsObservation } from "./host-observation.ts";

/** An instance of the group and what Zoomies has of it. */
export interface Pair {
  readonly instance: GroupInstance;
  readonly host: Host | undefined;
  /** Why the row proves nothing, though it is there. */
  readonly oddity: string | undefined;
  readonly runners: readonly Runner[];
}

/** Whether the instance is part of desired capacity: launching or in service. */
export const isAlive = ({ state }: GroupInstance): boolean =>
  state === "InService" || state === "Pending" || state.startsWith("Pending:");

export const isEnding = ({ state }: GroupInstance): boolean => state.startsWith("Terminat");

/**
 * Pairs every instance with its host: by name, which is the instance id, and by the id noted earlier, since an operator
 * can rename a host. Where the two disagree the host is unknown to us and never idle (cases.md 30: identity is the id).
 */
export function pairHosts({ group, zoomies, record }: HostsObservation): Pair[] {
  const { hosts = [], runners = [] } = zoomies ?? {};
  const byId = new Map(hosts.map((host) => [host.id, host]));
  const byName = grouped(hosts, ({ name }) => name);
  const byHost = grouped(runners, ({ host_id }) => host_id);
  return group.instances.map((instance) => {
    const named = byName.get(instance.id) ?? [];
    const { hostId, drain } = record.instances[instance.id] ?? {};
    const noted = hostId ?? drain?.hostId;
    const known = noted === undefined ? undefined : byId.get(noted);
    const host = known ?? named[0];
    const rows = new Set([...named, ...(known === undefined ? [] : [known])]);
    let oddity: string | undefined;
    if (rows.size > 1) oddity = "two hosts answer to it";
    else if (host !== undefined && host.name !== instance.id) oddity = "its host was renamed";
    else if (host?.embedded) oddity = "its host is the controller's own";
    return { instance, host, oddity, runners: host === undefined ? [] : (byHost.get(host.id) ?? []) };
  });
}

function grouped<T>(list: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of list) {
    const found = groups.get(keyOf(each));
    if (found === undefined) groups.set(keyOf(each), [each]);
    else found.push(each);
  }
  return groups;
}

/** Why Zoomies does not place the fleet's runners on this host, cordons aside; undefined when it does. */
export function whyNotEligible(host: Host, fleet: ZoomiesFleet): string | undefined {
  if (!host.healthy) return "unhealthy";
  if (host.incompatible) return "incompatible";
  if (!host.backends.includes(fleet.backend)) return `without the ${fleet.backend} backend`;
  for (const [key, wanted] of Object.entries(fleet.selector)) {
    // os and arch are answered by the agent's own report, everything else by labels (zoomies-notes 1).
    const answer = key === "os" ? host.os : key === "arch" ? host.arch : host.labels[key];
    if (answer !== wanted) return `answering ${key}=${answer ?? "nothing"} instead of ${wanted}`;
  }
  return host.capacity > 0 ? undefined : "without slots";
}

/** Whether nothing runs on the host and nothing may: no runner of any state in either of Zoomies' accounts of it. */
export const isEmpty = ({ host, runners }: Pick<Pair, "host" | "runners">): boolean =>
  host !== undefined && host.active_runners === 0 && runners.length === 0;

/** Whether the host has no runners but idle ones, and both of Zoomies' accounts agree on their number. */
export const isIdle = ({ host, runners }: Pair): boolean =>
  host !== undefined && host.active_runners === runners.length && runners.every(({ state }) => state === "idle");
