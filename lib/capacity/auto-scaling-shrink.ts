import {
  type AutoScalingClient,
  DescribeInstanceRefreshesCommand,
  DescribePoliciesCommand,
  DescribeScheduledActionsCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import type { AutoScalingClients } from "./auto-scaling-groups.ts";
import { sendOnce } from "./send-once.ts";
import type { Shrink } from "./shrink.ts";

/** Refresh states that are an end (API reference, InstanceRefresh); every other, known or not, is still at work. */
const endedRefreshes = new Set(["Successful", "Failed", "Cancelled", "RollbackSuccessful", "RollbackFailed"]);
const pageSize = 100;

type Page<T> = { readonly found: readonly T[] | undefined; readonly next: string | undefined };

/** Every page or an error (cases.md 67). */
async function allPages<T>(read: (next: { NextToken?: string }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const page = await read(next === undefined ? {} : { NextToken: next });
    all.push(...(page.found ?? []));
    next = page.next;
  } while (next !== undefined && next !== "");
  return all;
}

/** Shrinking through the AWS SDK. `mutations` sends each call exactly once. */
export function autoScalingShrink({ reads, mutations }: AutoScalingClients): Shrink {
  return {
    async facts(group) {
      const [policies, actions, refreshes] = await Promise.all([
        policiesOf(reads, group),
        scheduledActionsOf(reads, group),
        refreshesOf(reads, group),
      ]);
      return {
        activePolicies: policies.filter(({ Enabled }) => Enabled !== false).map(({ PolicyName }) => PolicyName ?? "?"),
        scheduledActions: actions
          .filter(({ DesiredCapacity, MaxSize }) => DesiredCapacity !== undefined || MaxSize !== undefined)
          .map(({ ScheduledActionName }) => ScheduledActionName ?? "?"),
        activeRefreshes: refreshes
          .filter(({ Status }) => !endedRefreshes.has(Status ?? ""))
          .map(({ InstanceRefreshId }) => InstanceRefreshId ?? "?"),
      };
    },
    terminate: (instance, { decrement } = { decrement: true }) =>
      sendOnce(() =>
        mutations.send(
          new TerminateInstanceInAutoScalingGroupCommand({
            InstanceId: instance,
            ShouldDecrementDesiredCapacity: decrement,
          }),
        ),
      ),
  };
}

const policiesOf = (reads: AutoScalingClient, group: string) =>
  allPages(async (next) => {
    const page = await reads.send(
      new DescribePoliciesCommand({ AutoScalingGroupName: group, MaxRecords: pageSize, ...next }),
    );
    return { found: page.ScalingPolicies, next: page.NextToken };
  });

const scheduledActionsOf = (reads: AutoScalingClient, group: string) =>
  allPages(async (next) => {
    const page = await reads.send(
      new DescribeScheduledActionsCommand({ AutoScalingGroupName: group, MaxRecords: pageSize, ...next }),
    );
    return { found: page.ScheduledUpdateGroupActions, next: page.NextToken };
  });

const refreshesOf = async (reads: AutoScalingClient, group: string) => {
  // Newest first, and a group has one refresh at a time: the first page tells (API reference).
  const page = await reads.send(
    new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: group, MaxRecords: pageSize }),
  );
  return page.InstanceRefreshes ?? [];
};
