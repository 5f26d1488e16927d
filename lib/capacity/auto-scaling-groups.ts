import {
  type AutoScalingClient,
  type AutoScalingGroup,
  DescribeAutoScalingGroupsCommand,
  type DescribeAutoScalingGroupsCommandInput,
  SetDesiredCapacityCommand,
} from "@aws-sdk/client-auto-scaling";
import { errorCode, errorKind } from "./error-codes.ts";
import { type Group, type GroupInstance, type Groups, type LifecycleState, lifecycleStates } from "./group.ts";

/** The API's own largest page, in groups. */
const pageSize = 100;

const knownStates: ReadonlySet<string> = new Set(lifecycleStates);

export interface AutoScalingClients {
  /** For reads: may repeat a call by itself. */
  readonly reads: AutoScalingClient;
  /** For mutations: sends each call exactly once (design: rule 3). */
  readonly mutations: AutoScalingClient;
}

/** Groups as they are described, for a function that changes none; `stack` is the value of `drover:stack` of ours. */
export function describedGroups(reads: AutoScalingClient, stack: string): Omit<Groups, "raise"> {
  const ours = { Name: "tag:drover:stack", Values: [stack] };

  async function describe(input: DescribeAutoScalingGroupsCommandInput): Promise<Group[]> {
    const groups: Group[] = [];
    let next: string | undefined;
    // Every page, or an error: a part of the list is never taken for the whole (cases.md 67).
    do {
      const page = await reads.send(
        new DescribeAutoScalingGroupsCommand({
          ...input,
          MaxRecords: pageSize,
          ...(next === undefined ? {} : { NextToken: next }),
        }),
      );
      groups.push(...(page.AutoScalingGroups ?? []).map(toGroup));
      next = page.NextToken;
    } while (next !== undefined && next !== "");
    // A group may show on two pages when others come or go between them. And whatever a filter means today: what does
    // not carry our tag is not ours.
    const byName = new Map(groups.map((group) => [group.name, group]));
    return [...byName.values()].filter(({ tags }) => tags["drover:stack"] === stack);
  }

  return {
    owned: ({ instances }) => describe({ Filters: [ours], IncludeInstances: instances }),
    async tagged(tag, { value, instances = false } = {}) {
      const filter = value === undefined ? { Name: "tag-key", Values: [tag] } : { Name: `tag:${tag}`, Values: [value] };
      const found = await describe({ Filters: [ours, filter], IncludeInstances: instances });
      return found.filter(({ tags }) => (value === undefined ? tags[tag] !== undefined : tags[tag] === value));
    },
    async named(name, { instances } = { instances: false }) {
      const [group] = await describe({ AutoScalingGroupNames: [name], IncludeInstances: instances });
      return group;
    },
  };
}

/** Auto Scaling groups through the AWS SDK; `stack` is the value of `drover:stack` that makes a group ours. */
export function autoScalingGroups({ reads, mutations }: AutoScalingClients, stack: string): Groups {
  return {
    ...describedGroups(reads, stack),
    async raise(group, to) {
      const input = { AutoScalingGroupName: group, DesiredCapacity: to, HonorCooldown: false };
      try {
        await mutations.send(new SetDesiredCapacityCommand(input));
        return { outcome: "accepted" };
      } catch (error) {
        const code = errorCode(error);
        const kind = errorKind(code);
        return kind === "ambiguous" ? { outcome: "unknown", code } : { outcome: "refused", code, kind };
      }
    },
  };
}

function toGroup(group: AutoScalingGroup): Group {
  const { AutoScalingGroupName: name, MinSize: min, MaxSize: max, DesiredCapacity: desired } = group;
  if (name === undefined || min === undefined || max === undefined || desired === undefined) {
    throw new Error(`Auto Scaling described a group (${name ?? "no name"}) without its sizes.`);
  }
  const tags = (group.Tags ?? []).map((tag) => [tag.Key ?? "", tag.Value ?? ""] as const);
  return {
    name,
    min,
    max,
    desired,
    tags: Object.fromEntries(tags),
    suspended: (group.SuspendedProcesses ?? []).map((process) => process.ProcessName ?? "unknown"),
    newInstancesProtected: group.NewInstancesProtectedFromScaleIn === true,
    capacityRebalance: group.CapacityRebalance === true,
    maxInstanceLifetimeSeconds: group.MaxInstanceLifetime ?? 0,
    weighted: isWeighted(group),
    hasWarmPool: group.WarmPoolConfiguration !== undefined,
    warmPoolReuses: group.WarmPoolConfiguration?.InstanceReusePolicy?.ReuseOnScaleIn === true,
    beingDeleted: group.Status !== undefined,
    instances: (group.Instances ?? []).map(toInstance),
  };
}

/** Weights, or desired capacity in vCPUs or memory: then a unit is not a host, and Drover cannot count. */
function isWeighted(group: AutoScalingGroup): boolean {
  const overrides = group.MixedInstancesPolicy?.LaunchTemplate?.Overrides ?? [];
  const unit = group.DesiredCapacityType ?? "units";
  return unit !== "units" || overrides.some(({ WeightedCapacity: weight }) => weight !== undefined && weight !== "1");
}

function toInstance(instance: NonNullable<AutoScalingGroup["Instances"]>[number]): GroupInstance {
  const state = instance.LifecycleState ?? "";
  if (instance.InstanceId === undefined) throw new Error("Auto Scaling described an instance without its id.");
  return {
    id: instance.InstanceId,
    state: knownStates.has(state) ? (state as LifecycleState) : "unknown",
    zone: instance.AvailabilityZone ?? "",
    healthy: instance.HealthStatus === "Healthy",
    protected: instance.ProtectedFromScaleIn === true,
  };
}
