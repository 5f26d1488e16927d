import {
  type AutoScalingClient,
  CompleteLifecycleActionCommand,
  DescribeInstanceRefreshesCommand,
  DescribeLifecycleHooksCommand,
  DescribePoliciesCommand,
  DescribeScheduledActionsCommand,
  RecordLifecycleActionHeartbeatCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import type { AutoScalingClients } from "./auto-scaling-groups.ts";
import { errorCode, errorKind } from "./error-codes.ts";
import type { Hooks, LifecycleHook } from "./hooks.ts";
import type { Shrink, TerminateOutcome } from "./shrink.ts";

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

async function send(call: () => Promise<unknown>): Promise<TerminateOutcome> {
  try {
    await call();
    return { outcome: "accepted" };
  } catch (error) {
    const code = errorCode(error);
    const kind = errorKind(code);
    return kind === "ambiguous" ? { outcome: "unknown", code } : { outcome: "refused", code, kind };
  }
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
      send(() =>
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

/** Lifecycle hooks through the AWS SDK. */
export function autoScalingHooks({ reads, mutations }: AutoScalingClients): Hooks {
  return {
    async of(group) {
      const answer = await reads.send(new DescribeLifecycleHooksCommand({ AutoScalingGroupName: group }));
      return (answer.LifecycleHooks ?? []).map(toHook);
    },
    complete: ({ group, hook, instance }, result) =>
      send(() =>
        mutations.send(
          new CompleteLifecycleActionCommand({
            AutoScalingGroupName: group,
            LifecycleHookName: hook,
            InstanceId: instance,
            LifecycleActionResult: result,
          }),
        ),
      ),
    heartbeat: ({ group, hook, instance }) =>
      send(() =>
        mutations.send(
          new RecordLifecycleActionHeartbeatCommand({
            AutoScalingGroupName: group,
            LifecycleHookName: hook,
            InstanceId: instance,
          }),
        ),
      ),
  };
}

function toHook(hook: {
  LifecycleHookName?: string | undefined;
  LifecycleTransition?: string | undefined;
  HeartbeatTimeout?: number | undefined;
  DefaultResult?: string | undefined;
}): LifecycleHook {
  return {
    name: hook.LifecycleHookName ?? "",
    transition: hook.LifecycleTransition === "autoscaling:EC2_INSTANCE_LAUNCHING" ? "launching" : "terminating",
    // AWS's own defaults.
    heartbeatSeconds: hook.HeartbeatTimeout ?? 3_600,
    defaultResult: hook.DefaultResult === "CONTINUE" ? "CONTINUE" : "ABANDON",
  };
}
