import {
  type AutoScalingClient,
  CompleteLifecycleActionCommand,
  DescribeLifecycleHooksCommand,
  RecordLifecycleActionHeartbeatCommand,
} from "@aws-sdk/client-auto-scaling";
import type { AutoScalingClients } from "./auto-scaling-groups.ts";
import type { Hooks, LifecycleHook } from "./hooks.ts";
import { sendOnce } from "./send-once.ts";

/** A group's hooks as they are described, for a function that answers none. */
export const describedHooks = (reads: AutoScalingClient): Pick<Hooks, "of"> => ({
  async of(group) {
    const answer = await reads.send(new DescribeLifecycleHooksCommand({ AutoScalingGroupName: group }));
    return (answer.LifecycleHooks ?? []).map(toHook);
  },
});

/** Lifecycle hooks through the AWS SDK; `mutations` sends each answer exactly once. */
export function autoScalingHooks({ reads, mutations }: AutoScalingClients): Hooks {
  return {
    ...describedHooks(reads),
    complete: ({ group, hook, instance }, result) =>
      sendOnce(() =>
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
      sendOnce(() =>
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
