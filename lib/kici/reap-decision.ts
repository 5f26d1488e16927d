import type { Instance } from "../capacity/instances.ts";
import { isHeld, type Lease } from "../ledger/lease.ts";
import type { Place } from "../ledger/live-set.ts";
import type { AgentRecord } from "./agent-record.ts";

/** What becomes of one living instance of an agent. */
export type InstanceFate =
  | { readonly fate: "end"; readonly reason: "withdrawn" | "expired" | "stopped" }
  /** It becomes the agent's instance in the ledger. */
  | { readonly fate: "adopt"; readonly finding?: InstanceFinding }
  | { readonly fate: "leave"; readonly finding?: InstanceFinding };

/** What a person should look at: an instance that nobody will end, or that its agent has besides another. */
export type InstanceFinding = "no_expiry" | "second_instance";

/** When an instance is over at the latest, by its own tag; undefined when that cannot be read. */
export type Expiry = number | undefined;

/**
 * One instance against its agent's record. What is ended has its proof: the scale-down, its own expiry, or that nothing
 * runs on it. An instance without a record is no orphan: a lost table must not kill a fleet.
 */
export function decideInstance(
  instance: Instance,
  record: AgentRecord | undefined,
  expiry: Expiry,
  now: number,
): InstanceFate {
  if (record?.withdrawn !== undefined) return { fate: "end", reason: "withdrawn" };
  if (instance.state === "stopped") return { fate: "end", reason: "stopped" };
  if (expiry !== undefined && expiry <= now) return { fate: "end", reason: "expired" };
  const finding = expiry === undefined ? ({ finding: "no_expiry" } as const) : {};
  if (isUnknown(record, instance.id, now)) return { fate: "adopt", ...finding };
  if (record?.phase === "launched" && record.instanceId !== instance.id) {
    return { fate: "leave", finding: "second_instance" };
  }
  return { fate: "leave", ...finding };
}

/** Whether the ledger should know this instance and does not. A driver that still holds its lease records it itself. */
function isUnknown(record: AgentRecord | undefined, id: string, now: number): boolean {
  if (record === undefined || record.phase === "failed") return true;
  if (record.phase === "launching") return !isHeld(record.lease, now);
  // An end that was seen is not undone by a list that is older; another instance than the ended one is news.
  return record.phase === "ended" && record.instanceId !== undefined && record.instanceId !== id;
}

/** What becomes of a place in a scaler's set of living agents for which the cloud showed no instance. */
export type PlaceFate =
  | "keep"
  /** Nothing of this agent can run: only its place is left. */
  | "free"
  /** The attempt is old and nothing of it was ever seen: it launched nothing. */
  | "conclude"
  /** The recorded instance was not in the list: look it up by its id. */
  | "look";

/** `lagMs` is how long EC2 may take to show what it launched. */
export function decidePlace(place: Place, record: AgentRecord | undefined, now: number, lagMs: number): PlaceFate {
  const isOld = now - place.since >= lagMs;
  if (record === undefined || record.phase === "failed" || record.phase === "ended") return isOld ? "free" : "keep";
  if (record.phase === "launched") return now - (record.launchedAt ?? 0) >= lagMs || record.withdrawn ? "look" : "keep";
  return now - lastSign(record) >= lagMs ? "conclude" : "keep";
}

/** When the attempt may have launched last. */
function lastSign({ attempt, lease, unsureAt }: AgentRecord): number {
  return Math.max(attempt?.at ?? 0, leaseEnd(lease), unsureAt ?? 0);
}

const leaseEnd = (lease: Lease | undefined): number => lease?.until ?? 0;

/** What a look by id says of a recorded instance; `shown` is undefined where EC2 does not know the id. */
export function decideLooked(
  record: AgentRecord,
  shown: Instance | undefined,
  now: number,
  lagMs: number,
): "gone" | "alive" | "unsure" {
  if (shown !== undefined) return shown.state === "shutting-down" || shown.state === "terminated" ? "gone" : "alive";
  return now - (record.launchedAt ?? 0) >= lagMs ? "gone" : "unsure";
}
