import type {
  AutoScalingInstanceDetails,
  DescribeAutoScalingInstancesCommandInput,
  DescribeAutoScalingInstancesCommandOutput,
  DescribeInstanceRefreshesCommandInput,
  DescribeInstanceRefreshesCommandOutput,
  DescribePoliciesCommandInput,
  DescribePoliciesCommandOutput,
  DescribeScalingActivitiesCommandInput,
  DescribeScalingActivitiesCommandOutput,
  DescribeScheduledActionsCommandInput,
  DescribeScheduledActionsCommandOutput,
  DescribeWarmPoolCommandInput,
  DescribeWarmPoolCommandOutput,
} from "@aws-sdk/client-auto-scaling";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { type Activity, activityShape } from "./activity.ts";
import { type Group, isWarm } from "./group.ts";
import { memberShape } from "./group-shape.ts";
import { recordsPage, requireGroup } from "./limits.ts";

/** The newest first. */
export function describeScalingActivities(
  world: World,
  input: DescribeScalingActivitiesCommandInput,
): Answer<DescribeScalingActivitiesCommandOutput> {
  const ids = input.ActivityIds ?? [];
  const all = groupsOf(world, input.AutoScalingGroupName)
    .flatMap((group) => group.activities.map((activity) => ({ group, activity })))
    .filter(({ activity }) => ids.length === 0 || ids.includes(activity.id));
  const page = recordsPage(all, ({ group, activity }) => newestFirst(group, activity), input, {
    byDefault: 100,
    most: 100,
  });
  return { Activities: page.items.map(({ group, activity }) => activityShape(group, activity)), ...token(page) };
}

export function describePolicies(
  world: World,
  input: DescribePoliciesCommandInput,
): Answer<DescribePoliciesCommandOutput> {
  const policies = groupsOf(world, input.AutoScalingGroupName)
    .flatMap((group) => group.policies.map((policy) => ({ AutoScalingGroupName: group.name, ...policy })))
    .filter(
      (policy) => includes(input.PolicyNames, policy.PolicyName) && includes(input.PolicyTypes, policy.PolicyType),
    );
  const page = recordsPage(
    policies,
    (policy) => `${policy.AutoScalingGroupName}/${policy.PolicyName}`,
    input,
    standard,
  );
  return { ScalingPolicies: structuredClone([...page.items]), ...token(page) };
}

export function describeScheduledActions(
  world: World,
  input: DescribeScheduledActionsCommandInput,
): Answer<DescribeScheduledActionsCommandOutput> {
  const actions = groupsOf(world, input.AutoScalingGroupName)
    .flatMap((group) => group.scheduledActions.map((action) => ({ AutoScalingGroupName: group.name, ...action })))
    .filter((action) => includes(input.ScheduledActionNames, action.ScheduledActionName));
  const page = recordsPage(
    actions,
    (action) => `${action.AutoScalingGroupName}/${action.ScheduledActionName}`,
    input,
    standard,
  );
  return { ScheduledUpdateGroupActions: structuredClone([...page.items]), ...token(page) };
}

export function describeInstanceRefreshes(
  world: World,
  input: DescribeInstanceRefreshesCommandInput,
): Answer<DescribeInstanceRefreshesCommandOutput> {
  const group = requireGroup(world, input.AutoScalingGroupName);
  const refreshes = group.refreshes
    .map((refresh) => ({ AutoScalingGroupName: group.name, ...refresh }))
    .filter((refresh) => includes(input.InstanceRefreshIds, refresh.InstanceRefreshId));
  const page = recordsPage(refreshes, (refresh) => refresh.InstanceRefreshId ?? "", input, standard);
  return { InstanceRefreshes: structuredClone([...page.items]), ...token(page) };
}

export function describeWarmPool(
  world: World,
  input: DescribeWarmPoolCommandInput,
): Answer<DescribeWarmPoolCommandOutput> {
  const group = requireGroup(world, input.AutoScalingGroupName);
  const warm = [...group.members.values()].filter(isWarm);
  const page = recordsPage(warm, (member) => member.instanceId, input, { byDefault: 50, most: 50 });
  return {
    Instances: page.items.map(memberShape),
    ...(group.warmPool ? { WarmPoolConfiguration: structuredClone(group.warmPool) } : {}),
    ...token(page),
  };
}

/** Instances that any group manages; ids that none manages are left out without an error. */
export function describeAutoScalingInstances(
  world: World,
  input: DescribeAutoScalingInstancesCommandInput,
): Answer<DescribeAutoScalingInstancesCommandOutput> {
  const details = world.groupViews.keys().flatMap((name): AutoScalingInstanceDetails[] => {
    const warm = [...(world.groups.get(name)?.members.values() ?? [])].filter(isWarm).map(memberShape);
    const seen = [...(world.groupViews.get(name)?.Instances ?? []), ...warm];
    return seen.map(({ HealthStatus, ...rest }) => ({
      ...rest,
      AutoScalingGroupName: name,
      HealthStatus: HealthStatus?.toUpperCase(),
    }));
  });
  const wanted = details.filter((entry) => includes(input.InstanceIds, entry.InstanceId));
  const page = recordsPage(wanted, (entry) => entry.InstanceId ?? "", input, { byDefault: 50, most: 50 });
  return { AutoScalingInstances: [...page.items], ...token(page) };
}

const standard = { byDefault: 50, most: 100 };

function groupsOf(world: World, name: string | undefined): Group[] {
  return name === undefined ? [...world.groups.values()] : [requireGroup(world, name)];
}

function newestFirst(group: Group, activity: Activity): string {
  const time = String(9_999_999_999_999 - activity.startedAt).padStart(14, "0");
  return `${time}/${group.name}/${String(999_999_999 - activity.sequence)}`;
}

function includes(wanted: readonly string[] | undefined, value: string | undefined): boolean {
  return wanted === undefined || wanted.length === 0 || wanted.includes(value ?? "");
}

function token(page: { nextToken?: string }): { NextToken?: string } {
  return page.nextToken === undefined ? {} : { NextToken: page.nextToken };
}
