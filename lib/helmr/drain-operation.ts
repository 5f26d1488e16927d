import type { Operation } from "../ledger/operations.ts";

/**
 * How far the end of one host has come. `intended`: the key is ours and Helmr may not know it yet. `draining`: Helmr
 * selected a host. `ending`: its proof was complete and the instance's end was asked for. `settling`: the absence is
 * reported, the receipt is not completed yet. The rest are ends: `completed`, `gone_by_others` (somebody else ended the
 * instance, nothing was lowered by us), `refused` (Helmr selected nothing) and `abandoned` (never asked).
 */
export type DrainPhase =
  | "intended"
  | "draining"
  | "ending"
  | "settling"
  | "completed"
  | "gone_by_others"
  | "refused"
  | "abandoned";

export const isFinished = (phase: DrainPhase): boolean =>
  phase === "completed" || phase === "gone_by_others" || phase === "refused" || phase === "abandoned";

/** A terminate or a hook's completion that was sent, or was about to be. */
export interface EndAttempt {
  readonly by: "terminate" | "hook";
  readonly at: number;
  readonly outcome: "sent" | "accepted" | "refused" | "unknown";
  readonly code?: string;
}

export interface DrainDetail {
  /** `scale_in`: Helmr chose the host, under our key and with a receipt. `other`: an operator or the interruption path drained it. */
  readonly kind: "scale_in" | "other";
  /** The Auto Scaling group, and Helmr's ids of Worker group and pool. */
  readonly group: string;
  readonly groupId: string;
  readonly poolId: string;
  readonly hostId?: string;
  readonly instance?: string;
  readonly epoch?: number;
  /** The claim version of the drain itself; termination_ready is one above. */
  readonly claimVersion?: number;
  /** Whether desired capacity goes down with the instance: not for an operator's `replacement` (invariant 22). */
  readonly decrement: boolean;
  readonly attempts: number;
  readonly lastAttempt?: EndAttempt;
}

export type DrainOperation = Operation<DrainPhase, DrainDetail>;
