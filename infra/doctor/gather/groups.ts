import { type AutoScalingClient, DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { describedGroups } from "../../../lib/capacity/auto-scaling-groups.ts";
import { describedHooks } from "../../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../../lib/capacity/auto-scaling-shrink.ts";
import type { Group } from "../../../lib/capacity/group.ts";
import { autoScalingLaunchFailures } from "../../../lib/capacity/launch-failures.ts";
import type { GroupFacts } from "../facts.ts";

/** Every group that carries the stack's tag, one after the other: Auto Scaling's Describe calls share one small bucket. */
export async function gatherGroups(client: AutoScalingClient, stack: string): Promise<GroupFacts[]> {
  const groups = await describedGroups(client, stack).owned({ instances: true });
  const facts: GroupFacts[] = [];
  for (const group of groups) facts.push(await groupFacts(client, group));
  return facts;
}

async function groupFacts(client: AutoScalingClient, group: Group): Promise<GroupFacts> {
  const { AutoScalingGroups: [shape] = [] } = await client.send(
    new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [group.name], IncludeInstances: false }),
  );
  const named = shape?.LaunchTemplate ?? shape?.MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification;
  const id = named?.LaunchTemplateId;
  return {
    group,
    shrink: await autoScalingShrink({ reads: client, mutations: client }).facts(group.name),
    hooks: await describedHooks(client).of(group.name),
    failedLaunch: await autoScalingLaunchFailures(client).newest(group.name),
    template: id === undefined ? undefined : { id, version: named?.Version ?? "$Default" },
    subnets: (shape?.VPCZoneIdentifier ?? "").split(",").filter((subnet) => subnet !== ""),
  };
}
