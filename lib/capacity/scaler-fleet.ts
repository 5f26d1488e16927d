import type { FleetOrFindings } from "./group-fleet.ts";
import type { LaunchTemplate } from "./launch-templates.ts";
import { readTags, type TagReader } from "./tag-reader.ts";

export const kiciScalerTag = "drover:kici-scaler";

/** What a launch template's tags say when it serves a KiCI scaler (design: fleets are declared by tags). */
export interface ScalerFleet {
  readonly template: LaunchTemplate;
  readonly paused: boolean;
  /** Tried in this order. */
  readonly instanceTypes: readonly string[];
  /** Tried in this order within each type. */
  readonly subnets: readonly string[];
  /** Most agents alive at one time. */
  readonly maxInstances: number;
  /** When an instance ends at the latest, minutes after its launch. */
  readonly maxLifetimeMinutes: number;
  /** The agent's container image, pinned to a tag or a digest. */
  readonly agentImage: string;
}

const subnetId = /^subnet-[0-9a-f]{8,17}$/;
const instanceType = /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/;
/**
 * A container image by registry, path and a tag or digest, in the reference grammar's own letters. It is written into a
 * script, so nothing that a shell would read is among them.
 */
const image =
  /^[a-z0-9][a-z0-9.-]*(?::\d{1,5}(?=\/))?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::([\w][\w.-]{0,127}))?(@sha256:[0-9a-f]{64})?$/;
/** A year; EC2 keeps no agent that long, and the sum stays a date. */
const longestLifetime = 525_600;

/** A launch template's tags as a fleet, or everything that is wrong with them. A bad tag stops this template only. */
export function scalerFleet(template: LaunchTemplate): FleetOrFindings<ScalerFleet> {
  const tags = readTags(template.name, template.tags);
  const fleet: ScalerFleet = {
    template,
    paused: tags.text("drover:paused") !== undefined,
    instanceTypes: list(
      tags,
      template.name,
      "drover:instance-types",
      instanceType,
      "instance types, such as m7i.large",
    ),
    subnets: list(tags, template.name, "drover:subnets", subnetId, "subnet ids"),
    maxInstances: required(tags, template.name, "drover:max-instances"),
    maxLifetimeMinutes: required(tags, template.name, "drover:max-lifetime-minutes"),
    agentImage: pinnedImage(tags, template.name),
  };
  if (fleet.maxLifetimeMinutes > longestLifetime) {
    const fix = `Set drover:max-lifetime-minutes on ${template.name} to at most ${longestLifetime}.`;
    tags.find("bad_tag", "drover:max-lifetime-minutes", "drover:max-lifetime-minutes is longer than a year.", fix);
  }
  return tags.findings.length > 0 ? { findings: tags.findings } : { fleet };
}

function missing(tags: TagReader, template: string, tag: string): void {
  tags.find("missing_tag", tag, `${tag} is missing.`, `Set ${tag} on launch template ${template}.`);
}

function required(tags: TagReader, template: string, tag: string): number {
  if (tags.text(tag) === undefined) missing(tags, template, tag);
  return tags.integer(tag, 1, 1);
}

function list(tags: TagReader, template: string, tag: string, form: RegExp, what: string): string[] {
  const entries = (tags.text(tag) ?? "").split(" ").filter((entry) => entry !== "");
  if (entries.length === 0) missing(tags, template, tag);
  const bad = entries.filter((entry) => !form.test(entry));
  if (bad.length > 0) {
    const fix = `Set ${tag} on launch template ${template} to ${what}, separated by spaces.`;
    tags.find("bad_tag", tag, `${tag} holds ${bad.map((entry) => `"${entry}"`).join(", ")}.`, fix);
  }
  return [...new Set(entries)];
}

/** An image that moves under its name would start agents that the orchestrator refuses one day (kici-notes 7.19). */
function pinnedImage(tags: TagReader, template: string): string {
  const tag = "drover:agent-image";
  const value = tags.text(tag);
  if (value === undefined) {
    missing(tags, template, tag);
    return "";
  }
  const [, version, digest] = image.exec(value) ?? [];
  if ((version === undefined || version === "latest") && digest === undefined) {
    const fix = `Set ${tag} on launch template ${template} to an image with a version, such as quay.io/kici-dev/kici-agent:0.16.0.`;
    tags.find("bad_tag", tag, `${tag} is "${value}", which is not an image pinned to a version or digest.`, fix);
  }
  return value;
}
