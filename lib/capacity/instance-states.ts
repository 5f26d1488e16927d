/** EC2's own word on an instance, which outlives its place in a group. */
export const instanceStates = ["pending", "running", "shutting-down", "terminated", "stopping", "stopped"] as const;
export type InstanceState = (typeof instanceStates)[number] | "unknown";

export interface InstanceStates {
  /** State by instance id. An instance that EC2 no longer knows, or not yet, is absent (cases.md 27). */
  of(instances: readonly string[]): Promise<ReadonlyMap<string, InstanceState>>;
}
