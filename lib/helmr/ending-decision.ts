import type { GroupInstance } from "../capacity/group.ts";
import type { InstanceState } from "../capacity/instance-states.ts";
import type { DrainOperation, DrainPhase } from "./drain-operation.ts";
import { isTerminating } from "./member-role.ts";
import type { ScaleInReceipt, WorkerHost } from "./protocol.ts";

/** What this cycle knows of one operation. */
export interface EndingFacts {
  /** The receipt of the operation's key; undefined where there is none to read. */
  readonly receipt: ScaleInReceipt | undefined;
  /** The operation's host, from this cycle's inventory. */
  readonly host: WorkerHost | undefined;
  /** The instance in its Auto Scaling group; undefined when the group does not list it. */
  readonly member: GroupInstance | undefined;
  readonly ec2: InstanceState | undefined;
  readonly isAbsent: boolean;
  /** Since when the host drains, by its own row. */
  readonly drainingSince: number | undefined;
  readonly drainMs: number;
  readonly now: number;
}

export type EndingStep =
  | { readonly do: "wait"; readonly reason: string }
  /** Nothing is done, and a person should look: `code` is what the alarm says. */
  | { readonly do: "hold"; readonly code: string; readonly reason: string }
  /** The instance may end, if the proof is complete when it is read afresh. */
  | { readonly do: "end"; readonly by: "terminate" | "hook" }
  | { readonly do: "report" }
  | { readonly do: "finish"; readonly phase: DrainPhase; readonly reason: string };

const refusedPauseMs = 20_000;

/**
 * The next step of an operation from drain to absence. It only says what may be tried: an end is proven by fresh reads
 * just before it ({@link missingProof}). Blocked, lost and overdue are held, whatever their age (invariants 3 and 31).
 */
export function decideEnding(operation: DrainOperation, facts: EndingFacts, doubtMs: number): EndingStep {
  const { phase, detail } = operation;
  const { receipt, host, member, ec2, isAbsent } = facts;
  if (phase === "settling") return settling(operation, facts);
  if (isAbsent) return { do: "report" };
  if (detail.instance === undefined || detail.hostId === undefined) {
    return hold("unidentified", "the receipt names no host, and no single host fits it");
  }
  if (ec2 === "terminated" || ec2 === "shutting-down")
    return wait("the instance is going: its absence is to be confirmed");
  if (member === undefined) {
    return ec2 === undefined
      ? wait("neither its group nor EC2 shows the instance")
      : hold("left_group", "the instance lives and its group does not list it");
  }
  if (isTerminating(member) && member.state !== "Terminating:Wait") return wait("the instance is terminating");
  if (detail.kind === "scale_in" && receipt?.phase === "completed") {
    return hold("completed_early", "the receipt is completed and the instance is not confirmed absent");
  }
  if (receipt?.phase === "blocked")
    return hold("blocked", "Helmr calls the operation blocked: it needs reconciliation");
  if (receipt?.phase === "unknown") return hold("unknown_phase", "the receipt has a phase that Drover does not know");
  if (host?.status === "lost") return hold("lost_alive", "the host is lost and its machine lives");
  const isReady =
    host?.status === "termination_ready" && (detail.kind === "other" || receipt?.phase === "termination_ready");
  if (!isReady) return draining(operation, facts);
  return attempt(operation, member, facts.now, doubtMs);
}

const wait = (reason: string): EndingStep => ({ do: "wait", reason });
const hold = (code: string, reason: string): EndingStep => ({ do: "hold", code, reason });

function draining({ startedAt }: DrainOperation, { drainingSince, now, drainMs }: EndingFacts): EndingStep {
  if (now - (drainingSince ?? startedAt) >= drainMs) return hold("drain_overdue", "the drain is older than its limit");
  return wait("the host is draining");
}

/** A terminate that may still land is not repeated: it would lower desired capacity twice (cases.md 43). */
function attempt({ detail }: DrainOperation, member: GroupInstance, now: number, doubtMs: number): EndingStep {
  const by = member.state === "Terminating:Wait" ? "hook" : "terminate";
  const last = detail.lastAttempt;
  if (last === undefined || (by === "hook" && last.by === "terminate")) return { do: "end", by };
  // Who waited in a hook was ending already: a look that shows it in service again is an old one.
  const isHarmless = by === "hook" || (last.by === "terminate" && last.outcome === "refused");
  const pauseMs = isHarmless ? refusedPauseMs : doubtMs;
  if (now - last.at < pauseMs) return wait(`the ${by} of a moment ago is to show first`);
  return { do: "end", by };
}

/** The absence is reported. An operation of Helmr's is over when its receipt says so (invariant 44). */
function settling({ detail, changedAt }: DrainOperation, { receipt, now, drainMs }: EndingFacts): EndingStep {
  const byUs = detail.lastAttempt !== undefined && detail.lastAttempt.outcome !== "refused";
  const phase: DrainPhase = byUs ? "completed" : "gone_by_others";
  const reason = byUs ? "drained, ended and absent" : "somebody else ended the instance";
  if (detail.kind === "other" || receipt?.phase === "completed") return { do: "finish", phase, reason };
  if (now - changedAt >= drainMs) return hold("not_completed", "the absence is reported and the receipt stays open");
  return wait("the receipt is not completed yet");
}
