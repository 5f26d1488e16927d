import type {
  InstanceMaintenancePolicy,
  InstanceRefresh,
  MixedInstancesPolicy,
  ScalingPolicy,
  ScheduledUpdateGroupAction,
  WarmPoolConfiguration,
} from "@aws-sdk/client-auto-scaling";
import type { World } from "../world.ts";
import type { Group, GroupTag } from "./group.ts";
import type { Hook } from "./hook.ts";
import { planScheduledActions } from "./scheduled-actions.ts";
import { changeDesired } from "./set-desired-capacity.ts";

export interface HookSpec {
  name: string;
  transition: "launching" | "terminating";
  /** Seconds; AWS's default is an hour. */
  heartbeatTimeout?: number;
  defaultResult?: "CONTINUE" | "ABANDON";
}

/** How an operator declares a group. What is left out has AWS's default. */
export interface GroupSpec {
  minSize?: number;
  maxSize?: number;
  desired?: number;
  /** Values by key; not propagated to instances, unless the value is an object that says so. */
  tags?: Record<string, string | GroupTag>;
  /** Subnet ids; by default the world's first two, in two zones. */
  subnets?: string[];
  /** A launch template's id and version (`$Latest`, `$Default` or a number); by default one is made for the group. */
  template?: { id: string; version: string };
  mixed?: MixedInstancesPolicy;
  newInstancesProtected?: boolean;
  suspended?: string[];
  hooks?: HookSpec[];
  capacityRebalance?: boolean;
  /** Seconds; AWS allows a day or more. */
  maxInstanceLifetime?: number;
  maintenance?: InstanceMaintenancePolicy;
  warmPool?: WarmPoolConfiguration;
  terminationPolicies?: string[];
  /** Seconds. */
  defaultCooldown?: number;
  policies?: ScalingPolicy[];
  scheduledActions?: ScheduledUpdateGroupAction[];
  refreshes?: InstanceRefresh[];
}

export function newGroup(world: World, name: string, template: { id: string; version: string }): Group {
  return {
    name,
    arn: `arn:aws:autoscaling:${world.region}:${world.account}:autoScalingGroup:${world.newUuid()}:autoScalingGroupName/${name}`,
    createdAt: world.now(),
    tags: new Map(),
    members: new Map(),
    activities: [],
    hooks: new Map(),
    suspended: new Map(),
    minSize: 0,
    maxSize: 10,
    desired: 0,
    subnets: [...world.subnets.keys()].slice(0, 2),
    template,
    newInstancesProtected: false,
    capacityRebalance: false,
    terminationPolicies: ["Default"],
    defaultCooldown: 300,
    gracePeriod: 0,
    policies: [],
    scheduledActions: [],
    refreshes: [],
    deleting: false,
    awake: false,
    launchFailures: 0,
    launchNotBefore: 0,
    rebalancing: false,
  };
}

/** Applies what an operator changed; what the change does not name stays. The group looks at itself soon after. */
export function applySpec(world: World, group: Group, spec: GroupSpec): void {
  const { tags, hooks, suspended, desired, ...plain } = spec;
  const given = Object.entries(plain).filter(([, value]) => value !== undefined);
  Object.assign(group, structuredClone(Object.fromEntries(given)));
  if (tags !== undefined) {
    group.tags.clear();
    for (const [key, tag] of Object.entries(tags)) {
      group.tags.set(key, typeof tag === "string" ? { value: tag, propagate: false } : { ...tag });
    }
  }
  if (hooks !== undefined) {
    group.hooks.clear();
    for (const hook of hooks) group.hooks.set(hook.name, hookOf(hook));
  }
  if (suspended !== undefined) {
    const since = `User suspended at ${new Date(world.now()).toISOString().slice(0, 19)}Z`;
    const entries = suspended.map((process) => [process, group.suspended.get(process) ?? since] as const);
    group.suspended.clear();
    for (const [process, reason] of entries) group.suspended.set(process, reason);
  }
  if (spec.scheduledActions !== undefined) planScheduledActions(world, group);
  world.groupViews.changed(group.name);
  // A new minimum or maximum moves a desired capacity that lies outside of it.
  const wanted = Math.min(group.maxSize, Math.max(group.minSize, desired ?? group.desired));
  changeDesired(world, group, wanted, "operator", "UpdateAutoScalingGroup");
}

function hookOf(spec: HookSpec): Hook {
  const launching = spec.transition === "launching";
  return {
    name: spec.name,
    transition: launching ? "autoscaling:EC2_INSTANCE_LAUNCHING" : "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeatTimeout: spec.heartbeatTimeout ?? 3600,
    defaultResult: spec.defaultResult ?? "ABANDON",
  };
}
