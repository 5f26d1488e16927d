import type { Finding } from "../../lib/capacity/finding.ts";
import type { Facts } from "./facts.ts";

/** `error`: something Drover should do, it does not. `warning`: it works, and may hurt later. */
export type Severity = "error" | "warning";

/** One thing that a person should change: what it is, why it matters, and the fix. No secret is ever in it. */
export interface Diagnosis {
  readonly severity: Severity;
  readonly code: string;
  /** Name of the group, launch template, secret, parameter or peer. */
  readonly resource: string;
  readonly tag?: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A check reads facts and nothing else. */
export type Check = (facts: Facts) => readonly Diagnosis[];

/** A finding of the functions' own, with why it matters here. */
export const diagnosed = (severity: Severity, why: string, found: Finding): Diagnosis => ({
  severity,
  code: found.code,
  resource: found.resource,
  ...(found.tag === undefined ? {} : { tag: found.tag }),
  what: found.message,
  why,
  fix: found.fix,
});
