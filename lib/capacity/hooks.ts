import type { TerminateOutcome } from "./shrink.ts";

/** A lifecycle hook of a group. */
export interface LifecycleHook {
  readonly name: string;
  readonly transition: "launching" | "terminating";
  /** How long an instance waits without a heartbeat, in seconds. */
  readonly heartbeatSeconds: number;
  readonly defaultResult: "CONTINUE" | "ABANDON";
}

/** Which wait is meant: an instance in `Pending:Wait` or `Terminating:Wait`, and the hook it waits in. */
export interface HookWait {
  readonly group: string;
  readonly hook: string;
  readonly instance: string;
}

/** Lifecycle hooks as Drover answers them. An answer for a wait that is over is refused by AWS and changes nothing. */
export interface Hooks {
  of(group: string): Promise<LifecycleHook[]>;
  /** Ends the wait, once. The caller holds the group's lease. */
  complete(wait: HookWait, result: "CONTINUE" | "ABANDON"): Promise<TerminateOutcome>;
  /** Starts the hook's timeout anew, up to the hook's own hundred-fold limit. */
  heartbeat(wait: HookWait): Promise<TerminateOutcome>;
}
