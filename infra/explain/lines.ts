import type { HostAction } from "../../lib/zoomies/host-observation.ts";
import type { Explained } from "./explained.ts";

const actions: Readonly<Record<Explained["action"], string>> = {
  sent: "sent",
  none: "nothing was sent",
  observed: "nothing was sent: Drover only observes",
};

/** Steps of a host's life by the trail's own names, where those are not plain. */
const steps: Readonly<Partial<Record<HostAction["kind"], string>>> = {
  "complete-launch": "let it out of its launch hook",
  "abandon-launch": "give it up in its launch hook",
  "complete-termination": "let it out of its termination hook",
  "terminate-unjoined": "terminate it, for it never joined",
  "delete-row": "delete its host row in Zoomies",
};

/** One decision as a person reads it: demand, decision, reason, action, outcome. */
export function explainedLines({ at, demand, decision, reasons, action, outcome }: Explained): string[] {
  const time = at.replace("T", " ").slice(0, 19);
  const rows: (readonly [string, string])[] = [
    ["demand", seen(demand)],
    ["decision", steps[decision as HostAction["kind"]] ?? shortened(decision, reasons)],
    ...reasons.map((reason, index) => [index === 0 ? "reason" : "", reason] as const),
    ["action", actions[action]],
    ["outcome", outcome],
  ];
  const all = rows.filter(([, text]) => text !== "");
  return all.map(([name, text], index) => `${(index === 0 ? time : "").padEnd(20)}${name.padEnd(9)} ${text}`);
}

/** Some decisions carry their reasons in their own words. */
function shortened(decision: string, reasons: readonly string[]): string {
  const tail = `: ${reasons.join("; ")}`;
  return decision.endsWith(tail) ? decision.slice(0, -tail.length) : decision;
}

function seen(saw: Explained["demand"]): string {
  const { readings, ...rest } = saw as { readings?: Readonly<Record<string, Reading>> };
  const pools = Object.entries(readings ?? {}).map(([pool, { capacity, required }]) => {
    const sign = required < 0 ? "-" : "+";
    return `${pool} has ${capacity} ${sign} ${Math.abs(required)} slots`;
  });
  const fields = Object.entries(rest).flatMap(([name, value]) => field(words(name), value));
  return [...new Set([...pools, ...fields])].join(", ");
}

interface Reading {
  readonly capacity: number;
  readonly required: number;
}

/** Zeros and what is empty say little, and lists of numbers by name say it in one word each. */
function field(name: string, value: unknown): string[] {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${name} ${value.map(String).join(" and ")}`];
  if (typeof value !== "object") return [`${name} ${String(value)}`];
  return Object.entries(value).flatMap(([key, inner]) => (inner === 0 ? [] : field(words(key), inner)));
}

/** `inFlight` and `in_flight` are names for programs. */
const words = (name: string) =>
  name.replaceAll("_", " ").replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
