import type { Finding } from "../capacity/finding.ts";
import type { Architecture, InstanceType } from "../capacity/instance-types.ts";
import { architectureOf, type Offering, offeringsOf } from "../capacity/offerings.ts";
import type { ScalerFleet } from "../capacity/scaler-fleet.ts";
import type { Refusal } from "../edge/http-answer.ts";

/** What an event asks of a template. */
export interface Ask {
  readonly scalerName: string;
  readonly labels: readonly string[];
  readonly resources: { readonly cpus?: number; readonly memBytes?: number };
}

export interface ScalerTemplates {
  readonly fleets: readonly ScalerFleet[];
  /** What is wrong with templates that serve this scaler too, and so cannot. */
  readonly findings: readonly Finding[];
  readonly types: ReadonlyMap<string, InstanceType>;
}

export interface Chosen {
  readonly fleet: ScalerFleet;
  readonly architecture: Architecture;
  /** Those that are large enough, in the order of the tags; at least one. */
  readonly offerings: readonly Offering[];
}

const words: Readonly<Record<string, Architecture>> = {
  arm64: "arm64",
  aarch64: "arm64",
  x64: "x86_64",
  amd64: "x86_64",
  x86_64: "x86_64",
};

/** The architectures that a label asks for, in either of KiCI's spellings (kici-notes 1: platform labels). */
function architecturesIn(labels: readonly string[]): Set<Architecture> {
  const named = labels.map((label) => words[label.toLowerCase().replace(/^kici:arch:/, "")]);
  return new Set(named.filter((architecture) => architecture !== undefined));
}

/** The one template that serves this event, with what it can launch; or the sentence that says what to change. */
export function chooseTemplate({ fleets, findings, types }: ScalerTemplates, ask: Ask): Chosen | { refusal: Refusal } {
  const unusable = [...findings];
  const usable: (Omit<Chosen, "offerings"> & { readonly own: readonly InstanceType[] })[] = [];
  for (const fleet of fleets) {
    const own = fleet.instanceTypes.map((name) => types.get(name)).filter((type) => type !== undefined);
    const architecture = architectureOf(own);
    if (architecture === undefined || own.length < fleet.instanceTypes.length) unusable.push(badTypes(fleet, types));
    else usable.push({ fleet, architecture, own });
  }
  if (fleets.length + findings.length === 0) {
    const message = `No launch template of this stack carries the tag drover:kici-scaler=${ask.scalerName}. Tag the one that serves it.`;
    return refused(404, "scaler_not_served", message);
  }

  const wanted = architecturesIn(ask.labels);
  if (wanted.size > 1) return refused(422, "two_architectures", "The labels ask for two architectures at once.");
  const [asked] = wanted;
  const fitting = usable.filter(({ architecture }) => architecture === (asked ?? architectureWithoutLabel(usable)));
  const [only, another] = fitting;
  if (only === undefined) {
    if (unusable.length > 0) return refused(422, "bad_tags", unusable.map(sentence).join(" "));
    const message = `No launch template of scaler ${ask.scalerName} has instance types for ${asked}.`;
    return refused(422, "no_template_for_architecture", message);
  }
  if (another !== undefined) {
    const names = fitting.map(({ fleet }) => fleet.template.name).sort();
    const message = `Launch templates ${names.join(" and ")} both serve scaler ${ask.scalerName} on ${only.architecture}. Leave drover:kici-scaler on one of them.`;
    return refused(422, "scaler_served_twice", message);
  }
  if (only.fleet.paused) {
    return refused(422, "scaler_paused", `Launch template ${only.fleet.template.name} carries drover:paused.`);
  }
  return withOfferings(only, ask);
}

function withOfferings(chosen: Omit<Chosen, "offerings"> & { own: readonly InstanceType[] }, ask: Ask) {
  const { cpus, memBytes } = ask.resources;
  const need = {
    ...(cpus === undefined ? {} : { vcpus: cpus }),
    ...(memBytes === undefined ? {} : { memoryBytes: memBytes }),
  };
  const { fleet, architecture, own } = chosen;
  const offerings = offeringsOf(own, fleet.subnets, need);
  if (offerings.length > 0) return { fleet, architecture, offerings };
  const asked = `${cpus ?? "any"} vCPUs and ${memBytes ?? "any"} bytes of memory`;
  const message = `No instance type of launch template ${fleet.template.name} has ${asked}. Add a larger one to drover:instance-types.`;
  return refused(422, "no_type_large_enough", message);
}

/** Most pools name no architecture: then x86_64 where the scaler has it, else the only one that there is. */
const architectureWithoutLabel = (usable: readonly { architecture: Architecture }[]): Architecture =>
  usable.some(({ architecture }) => architecture === "x86_64") ? "x86_64" : "arm64";

function badTypes({ template, instanceTypes }: ScalerFleet, types: ReadonlyMap<string, InstanceType>): Finding {
  const unknown = instanceTypes.filter((name) => !types.has(name));
  const message =
    unknown.length > 0
      ? `drover:instance-types names ${unknown.join(", ")}, which this region does not have.`
      : "drover:instance-types mixes architectures, and an image has one.";
  const fix = `Set drover:instance-types on launch template ${template.name} to types of the image's architecture.`;
  return { code: "bad_tag", resource: template.name, tag: "drover:instance-types", message, fix };
}

const sentence = ({ message, fix }: Finding): string => `${message} ${fix}`;

const refused = (status: number, code: string, message: string) => ({ refusal: { status, code, message } });
