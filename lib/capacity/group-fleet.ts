import type { Finding } from "./finding.ts";
import type { Group } from "./group.ts";
import { readTags } from "./tag-reader.ts";

export const zoomiesPoolTag = "drover:zoomies-pool/";
const hostSelectorTag = "drover:host-selector/";
const minuteMs = 60_000;

/** What a group's tags say when it serves Zoomies pools (design: fleets are declared by tags). */
export interface ZoomiesFleet {
  readonly group: string;
  readonly paused: boolean;
  /** Ids of the pools this group serves. */
  readonly pools: readonly string[];
  /** Runner slots one host provides. */
  readonly slotsPerHost: number;
  /** Runner slots of hosts outside the group that serve the same pools. */
  readonly outsideSlots: number;
  readonly backend: "docker" | "podman" | "process";
  /** What hosts of this group answer for each selector key, os and arch included. */
  readonly selector: Readonly<Record<string, string>>;
  /** Most hosts added in one step; undefined means no limit but MaxSize. */
  readonly maxLaunchStep: number | undefined;
  /** Whether hosts that are proven empty are taken away. */
  readonly scaleIn: "off" | "verified";
  /** How long a host must have been idle before it is a candidate, and how long its drain may take, in milliseconds. */
  readonly idleMs: number;
  readonly drainMs: number;
  /** Most hosts draining at once. */
  readonly maxDrains: number;
}

export type FleetOrFindings<F> =
  | { readonly fleet: F; readonly findings?: undefined }
  | { readonly fleet?: undefined; readonly findings: readonly Finding[] };

/**
 * A Zoomies group's tags as a fleet, or everything that is wrong with them. A bad tag stops this group only; what
 * Drover cannot count truly is a finding, never a guess.
 */
export function zoomiesFleet(group: Group): FleetOrFindings<ZoomiesFleet> {
  const tags = readTags(group.name, group.tags);
  const slotsTag = "drover:slots-per-host";
  if (tags.text(slotsTag) === undefined) {
    const fix = `Set ${slotsTag} on ${group.name} to the runner slots that one host provides.`;
    tags.find("missing_tag", slotsTag, `${slotsTag} is missing, so slots cannot be turned into hosts.`, fix);
  }
  if (tags.text("drover:helmr-group") !== undefined) {
    const fix = `Remove either the drover:helmr-group or the ${zoomiesPoolTag} tags from ${group.name}.`;
    tags.find("two_masters", "drover:helmr-group", "The group is tagged for Zoomies and for Helmr.", fix);
  }
  if (group.weighted) {
    const fix = "Remove the weights and count desired capacity in units, or take the group out of Drover's care.";
    tags.find("weighted_capacity", undefined, "The group weights its instances: a unit is not a host.", fix);
  }
  const fleet: ZoomiesFleet = {
    group: group.name,
    paused: tags.text("drover:paused") !== undefined,
    pools: Object.keys(tags.under(zoomiesPoolTag)),
    slotsPerHost: tags.integer(slotsTag, 1, 1),
    outsideSlots: tags.integer("drover:outside-slots", 0, 0),
    backend: tags.oneOf("drover:zoomies-backend", ["docker", "podman", "process"]),
    selector: tags.under(hostSelectorTag),
    maxLaunchStep: tags.integerOrNone("drover:max-launch-step", 1),
    scaleIn: tags.oneOf("drover:scale-in", ["off", "verified"]),
    idleMs: tags.integer("drover:idle-minutes", 1, 10) * minuteMs,
    drainMs: tags.integer("drover:drain-minutes", 1, 30) * minuteMs,
    maxDrains: tags.integer("drover:max-drains", 1, 1),
  };
  return tags.findings.length > 0 ? { findings: tags.findings } : { fleet };
}
