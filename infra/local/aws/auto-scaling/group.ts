import type {
  InstanceMaintenancePolicy,
  InstanceRefresh,
  LifecycleState,
  MixedInstancesPolicy,
  ScalingPolicy,
  ScheduledUpdateGroupAction,
  WarmPoolConfiguration,
} from "@aws-sdk/client-auto-scaling";
import type { Activity } from "./activity.ts";
import type { Hook, HookWait } from "./hook.ts";

/** An instance as its group sees it. */
export interface Member {
  readonly instanceId: string;
  readonly zone: string;
  readonly type: string;
  /** Units of desired capacity it provides: 1 unless the group weighs its instance types. */
  readonly weight: number;
  readonly template?: { readonly id: string; readonly name: string; readonly version: string };
  readonly joinedAt: number;
  state: LifecycleState;
  healthy: boolean;
  protectedFromScaleIn: boolean;
  /** EC2 warned that this Spot instance may be taken back. */
  atRisk?: boolean;
  /** Lifecycle actions that hold the instance in a Wait state; empty in any other. */
  waits: HookWait[];
  /** What follows when the last of them has ended. */
  afterWaits?: (result: "CONTINUE" | "ABANDON") => void;
  /** The scaling activity that is about this member now. */
  activity?: Activity;
}

export interface GroupTag {
  readonly value: string;
  readonly propagate: boolean;
}

export interface Group {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  readonly tags: Map<string, GroupTag>;
  readonly members: Map<string, Member>;
  readonly activities: Activity[];
  readonly hooks: Map<string, Hook>;
  readonly suspended: Map<string, string>;
  minSize: number;
  maxSize: number;
  desired: number;
  subnets: readonly string[];
  template?: { readonly id: string; readonly version: string };
  mixed?: MixedInstancesPolicy;
  newInstancesProtected: boolean;
  capacityRebalance: boolean;
  maxInstanceLifetime?: number;
  maintenance?: InstanceMaintenancePolicy;
  warmPool?: WarmPoolConfiguration;
  terminationPolicies: readonly string[];
  defaultCooldown: number;
  gracePeriod: number;
  policies: readonly ScalingPolicy[];
  scheduledActions: readonly ScheduledUpdateGroupAction[];
  refreshes: readonly InstanceRefresh[];
  deleting: boolean;
  /** When the last change of desired capacity happened; a cooldown counts from it. */
  lastScalingAt?: number;
  /** A decision is already planned. */
  awake: boolean;
  /** Failed launches in a row, and the instant before which none is tried again. */
  launchFailures: number;
  launchNotBefore: number;
  /** An instance more than desired was launched, to even out the zones or for one at risk; when it serves, another goes. */
  rebalancing: boolean;
}

/** Whether the member fills a part of desired capacity: it is on its way in, or in service. */
export function countsTowardsDesired(member: Member): boolean {
  return member.state.startsWith("Pending") || member.state === "InService";
}

export function isLeaving(member: Member): boolean {
  return member.state.startsWith("Terminat") || member.state === "Detaching" || member.state === "Detached";
}

export function isWarm(member: Member): boolean {
  return member.state.startsWith("Warmed");
}

/** Units of capacity the group has or is about to have. */
export function unitsOf(group: Group): number {
  let units = 0;
  for (const member of group.members.values()) if (countsTowardsDesired(member)) units += member.weight;
  return units;
}

/** Whether an operator (or AWS, after a day of failures) suspended one of the group's processes. */
export function isSuspended(group: Group, name: string): boolean {
  return group.suspended.has(name);
}
