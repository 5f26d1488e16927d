import type {
  CompleteLifecycleActionCommandInput,
  DescribeLifecycleHooksCommandInput,
  DescribeLifecycleHooksCommandOutput,
  RecordLifecycleActionHeartbeatCommandInput,
} from "@aws-sdk/client-auto-scaling";
import { validationError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import type { Group, Member } from "./group.ts";
import { globalTimeout, type HookWait } from "./hook.ts";
import { completeWait, extendWait } from "./hook-waits.ts";
import { requireGroup, requireParameter } from "./limits.ts";

export function describeLifecycleHooks(
  world: World,
  input: DescribeLifecycleHooksCommandInput,
): Answer<DescribeLifecycleHooksCommandOutput> {
  const group = requireGroup(world, input.AutoScalingGroupName);
  const names = input.LifecycleHookNames ?? [];
  const hooks = [...group.hooks.values()].filter((hook) => names.length === 0 || names.includes(hook.name));
  return {
    LifecycleHooks: hooks.map((hook) => ({
      LifecycleHookName: hook.name,
      AutoScalingGroupName: group.name,
      LifecycleTransition: hook.transition,
      HeartbeatTimeout: hook.heartbeatTimeout,
      GlobalTimeout: globalTimeout(hook),
      DefaultResult: hook.defaultResult,
    })),
  };
}

/** Ends a held instance's lifecycle action, named by its token or by its instance. */
export function completeLifecycleAction(
  world: World,
  input: CompleteLifecycleActionCommandInput,
  caller: string,
): object {
  const { LifecycleActionResult: result } = input;
  requireParameter(result, "lifecycleActionResult");
  if (result !== "CONTINUE" && result !== "ABANDON") {
    throw validationError(`Lifecycle action result should be either CONTINUE or ABANDON, not ${result}.`);
  }
  const { group, member, wait } = findAction(world, input);
  completeWait(world, group, member, wait, result, caller);
  return {};
}

export function recordLifecycleActionHeartbeat(
  world: World,
  input: RecordLifecycleActionHeartbeatCommandInput,
  caller: string,
): object {
  const { group, member, wait } = findAction(world, input);
  extendWait(world, group, member, wait, caller);
  return {};
}

type ActionName = Pick<
  CompleteLifecycleActionCommandInput,
  "AutoScalingGroupName" | "LifecycleHookName" | "LifecycleActionToken" | "InstanceId"
>;

function findAction(world: World, input: ActionName): { group: Group; member: Member; wait: HookWait } {
  const { LifecycleHookName: hook, LifecycleActionToken: token, InstanceId: instanceId } = input;
  requireParameter(hook, "lifecycleHookName");
  const group = requireGroup(world, input.AutoScalingGroupName);
  for (const member of group.members.values()) {
    const wait = member.waits.find((entry) => entry.hook.name === hook);
    const isNamed = token === undefined ? member.instanceId === instanceId : wait?.token === token;
    if (wait !== undefined && isNamed) return { group, member, wait };
  }
  const named = token === undefined ? `instance ID ${instanceId}` : `token ${token}`;
  throw validationError(`No active Lifecycle Action found with ${named}`);
}
