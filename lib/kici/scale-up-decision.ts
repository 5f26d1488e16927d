import { isHeld } from "../ledger/lease.ts";
import type { AgentRecord } from "./agent-record.ts";

/** What a scale-up means for an agent of which this is known. */
export type ScaleUpStep =
  | { readonly step: "answer"; readonly status: "exists" | "withdrawn" | "absent"; readonly instanceId?: string }
  /** Somebody drives the attempt until `until`, milliseconds since the epoch. */
  | { readonly step: "wait"; readonly until: number }
  | { readonly step: "refuse-claim" }
  /** Nothing was begun, or what was begun ended without an instance: the number of the attempt to begin. */
  | { readonly step: "begin"; readonly number: number }
  /** An attempt was begun and abandoned; it may have launched. */
  | { readonly step: "resume" };

/** The withdrawal rules over everything: it is what an agent never comes back from. `claim` is the event's digest. */
export function decideScaleUp(record: AgentRecord | undefined, claim: string, now: number): ScaleUpStep {
  if (record === undefined) return { step: "begin", number: 1 };
  const { phase, instanceId, attempt, lease } = record;
  const instance = instanceId === undefined ? {} : { instanceId };
  if (record.withdrawn !== undefined) return { step: "answer", status: "withdrawn", ...instance };
  if (record.claim !== undefined && record.claim !== claim) return { step: "refuse-claim" };
  if (phase === "launched") return { step: "answer", status: "exists", ...instance };
  if (phase === "ended") return { step: "answer", status: "absent", ...instance };
  if (phase === "launching" && isHeld(lease, now)) return { step: "wait", until: lease.until };
  if (phase === "launching" && attempt !== undefined) return { step: "resume" };
  return { step: "begin", number: (attempt?.number ?? 0) + 1 };
}
