/** The two moments at which a lifecycle hook can hold an instance. */
export type Transition = "autoscaling:EC2_INSTANCE_LAUNCHING" | "autoscaling:EC2_INSTANCE_TERMINATING";

export interface Hook {
  readonly name: string;
  readonly transition: Transition;
  /** Seconds without a heartbeat until the default result applies; 30 to 7200, by default 3600. */
  readonly heartbeatTimeout: number;
  readonly defaultResult: "CONTINUE" | "ABANDON";
}

/** One held instance and hook: what AWS calls a lifecycle action. */
export interface HookWait {
  readonly hook: Hook;
  readonly token: string;
  /** When the default result applies unless a heartbeat comes, and the end that no heartbeat moves; epoch milliseconds. */
  deadline: number;
  readonly limit: number;
}

/** The longest an instance can be held: 48 hours or 100 times the heartbeat timeout, whichever is smaller; in seconds. */
export function globalTimeout(hook: Hook): number {
  return Math.min(48 * 3600, 100 * hook.heartbeatTimeout);
}
