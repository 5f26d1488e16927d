import type { TrailEntry } from "../../lib/ledger/trail.ts";

/** One decision in the order in which it came about. */
export interface Explained {
  /** RFC 3339. */
  readonly at: string;
  /** What was seen, in the trail's own names. */
  readonly demand: TrailEntry["saw"];
  readonly decision: string;
  readonly reasons: readonly string[];
  /** Whether anything was sent. */
  readonly action: "sent" | "none" | "observed";
  readonly outcome: string;
}

/** Words for what came of a call that left. An AWS code begins with a capital; Drover's own refusals do not. */
const answers = [
  "accepted",
  "unknown",
  "draining",
  "ended",
  "delivered",
  "reported",
  "not taken",
  "replaced",
  "selected",
  "contended",
  "cordoned",
  "given back",
  "it did not take",
  "\\d+ runners asked to go",
  "terminating",
  "abandoned",
  "in service",
  "let go",
  "deleted",
  "Zoomies still records runners on it",
  "no answer.*",
  "(?:refused|unknown): [A-Z].*",
  "i-[0-9a-f]+.*",
];
const sent = new RegExp(`^(?:${answers.join("|")})$`);

export function explained({ at, saw, decided, reasons, outcome }: TrailEntry): Explained {
  const isObserved = /\bobserved$/.test(outcome);
  const action = isObserved ? "observed" : sent.test(outcome) ? "sent" : "none";
  return { at: new Date(at).toISOString(), demand: saw, decision: decided, reasons, action, outcome };
}

/** Whether an entry tells of this instance, agent or operation, in whatever place. */
export const isAbout = (entry: TrailEntry, id: string): boolean =>
  new RegExp(`(?<![\\w-])${id.replaceAll(/[^\w-]/g, "\\$&")}(?![\\w-])`).test(JSON.stringify(entry));
