import type { Group } from "./group.ts";
import { type FleetOrFindings, zoomiesPoolTag } from "./group-fleet.ts";
import { readTags, type TagReader, type Tags } from "./tag-reader.ts";

export const helmrGroupTag = "drover:helmr-group";
export const helmrPoolTag = "drover:helmr-pool";
export const helmrPolicyTag = "drover:helmr-policy/";
export const helmrPrimaryTag = "drover:helmr-primary";

/** The seven fields of a declared policy: all of them or none, because a replacement requires every one (the contract). */
export const helmrPolicyFields = [
  "cpu_millis",
  "memory_bytes",
  "disk_bytes",
  "vm_slots",
  "max_tasks",
  "io_bytes_per_second",
  "local_headroom_slots",
] as const;

export type DeclaredPolicy = Readonly<Record<(typeof helmrPolicyFields)[number], number>>;

/** What a group's tags say when it supplies a Helmr pool (design: fleets are declared by tags). */
export interface HelmrFleet {
  readonly group: string;
  readonly paused: boolean;
  /** Names, as Helmr resolves them; not ids. */
  readonly workerGroup: string;
  readonly pool: string;
  readonly scaleIn: "off" | "verified";
  /** How long the pool must have nothing to do before a host may go, in minutes. */
  readonly idleMinutes: number;
  /** A drain older than this is an alarm, in minutes; it never permits anything (invariant 31). */
  readonly drainMinutes: number;
  /** Most hosts added in one step; undefined means no limit but MaxSize. */
  readonly maxLaunchStep: number | undefined;
  /** The pool's resource policy as it should be; undefined leaves it to others. */
  readonly policy: DeclaredPolicy | undefined;
  /** Minimum ready hosts with which this pool is made primary; undefined leaves the choice to others. */
  readonly primaryMinimum: number | undefined;
}

/** A Helmr group's tags as a fleet, or everything that is wrong with them. A bad tag stops this group only. */
export function helmrFleet(group: Group): FleetOrFindings<HelmrFleet> {
  const tags = readTags(group.name, group.tags);
  const fleet: HelmrFleet = {
    group: group.name,
    paused: tags.text("drover:paused") !== undefined,
    workerGroup: name(tags, group.name, helmrGroupTag, helmrPoolTag),
    pool: name(tags, group.name, helmrPoolTag, helmrGroupTag),
    scaleIn: tags.oneOf("drover:scale-in", ["off", "verified"]),
    idleMinutes: tags.integer("drover:idle-minutes", 1, 10),
    drainMinutes: tags.integer("drover:drain-minutes", 1, 30),
    maxLaunchStep: tags.integerOrNone("drover:max-launch-step", 1),
    policy: policy(tags, group.name, group.tags),
    primaryMinimum: tags.integerOrNone(helmrPrimaryTag, 1),
  };
  if (Object.keys(group.tags).some((tag) => tag.startsWith(zoomiesPoolTag))) {
    const fix = `Remove either the ${helmrGroupTag} or the ${zoomiesPoolTag} tags from ${group.name}.`;
    tags.find("two_masters", helmrGroupTag, "The group is tagged for Zoomies and for Helmr.", fix);
  }
  if (group.weighted) {
    const fix = "Remove the weights and count desired capacity in units, or take the group out of Drover's care.";
    tags.find("weighted_capacity", undefined, "The group weights its instances: a unit is not a host.", fix);
  }
  return tags.findings.length > 0 ? { findings: tags.findings } : { fleet };
}

/** One of the two names that place a group; each needs the other. */
function name(tags: TagReader, group: string, tag: string, other: string): string {
  const value = tags.text(tag) ?? "";
  if (value !== "" && value === value.trim()) return value;
  const fix = `Set ${tag} on ${group} beside ${other}: the Worker group's name and the name of its pool, without blanks around them.`;
  tags.find(value === "" ? "missing_tag" : "bad_tag", tag, `${tag} names nothing that Helmr can resolve.`, fix);
  return value;
}

/** Memory and disk are bytes, so the numbers are larger than what other tags hold. */
const wholeNumber = /^\d{1,15}$/;

function policy(tags: TagReader, group: string, all: Tags): DeclaredPolicy | undefined {
  const declared = Object.keys(all).filter((tag) => tag.startsWith(helmrPolicyTag));
  if (declared.length === 0) return undefined;
  const known: readonly string[] = helmrPolicyFields.map((field) => helmrPolicyTag + field);
  const fix = `Set all seven ${helmrPolicyTag} tags on ${group}, or none: ${helmrPolicyFields.join(", ")}.`;
  for (const tag of declared.filter((declaredTag) => !known.includes(declaredTag))) {
    tags.find("bad_tag", tag, `${tag} is no field of Helmr's resource policy.`, fix);
  }
  const values = helmrPolicyFields.map((field): [string, number] => {
    const tag = helmrPolicyTag + field;
    const value = all[tag];
    if (value === undefined) tags.find("missing_tag", tag, `${tag} is missing, and a policy has seven fields.`, fix);
    else if (!wholeNumber.test(value)) tags.find("bad_tag", tag, `${tag} is "${value}", not a whole number.`, fix);
    return [field, Number(value)];
  });
  return Object.fromEntries(values) as DeclaredPolicy;
}
