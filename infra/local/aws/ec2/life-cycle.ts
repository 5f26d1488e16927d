import type { StateReason } from "@aws-sdk/client-ec2";
import type { World } from "../world.ts";
import { tokenInstanceEnded } from "./client-tokens.ts";
import { type Ec2Instance, isAlive, moveInstance } from "./instance.ts";

/** Why EC2 says an instance changed its state; the codes are the ones of DescribeInstances' StateReason. */
export const stateReasons = {
  user: { Code: "Client.UserInitiatedShutdown", Message: "Client.UserInitiatedShutdown: User initiated shutdown" },
  inside: {
    Code: "Client.InstanceInitiatedShutdown",
    Message: "Client.InstanceInitiatedShutdown: Instance initiated shutdown",
  },
  spot: {
    Code: "Server.SpotInstanceTermination",
    Message: "Server.SpotInstanceTermination: Spot instance termination",
  },
  failure: { Code: "Server.InternalError", Message: "Server.InternalError: Internal error on launch" },
} as const satisfies Record<string, StateReason>;

/** Adds an instance that is `pending` now and `running` after its boot. */
export function startInstance(world: World, instance: Ec2Instance, reason: string): void {
  world.instances.set(instance.id, instance);
  world.instanceViews.changed(instance.id);
  world.emit({
    type: "instance-state",
    instanceId: instance.id,
    to: instance.state,
    reason,
    ...(instance.group ? { group: instance.group } : {}),
  });
  world.after("boot", () => {
    if (instance.state !== "pending") return;
    moveInstance(world, instance, "running", "booted");
    world.instanceChanged(instance);
  });
}

/** `shutting-down`, then `terminated`, then invisible after about an hour. A second call changes nothing. */
export function terminateInstance(world: World, instance: Ec2Instance, why: StateReason): void {
  if (!isAlive(instance)) return;
  instance.stateReason = why;
  moveInstance(world, instance, "shutting-down", why.Code ?? "");
  world.releaseAddress(instance.subnetId);
  world.instanceChanged(instance);
  world.after("shutdown", () => {
    moveInstance(world, instance, "terminated", why.Code ?? "");
    world.instanceChanged(instance);
    tokenInstanceEnded(world, instance);
    world.after("terminatedVisible", () => {
      world.instances.delete(instance.id);
      world.instanceViews.changed(instance.id);
    });
  });
}

/** `stopping`, then `stopped`; the instance keeps its address and its volumes. */
export function stopInstance(world: World, instance: Ec2Instance, why: StateReason): void {
  if (instance.state !== "running" && instance.state !== "pending") return;
  instance.stateReason = why;
  moveInstance(world, instance, "stopping", why.Code ?? "");
  world.instanceChanged(instance);
  world.after("shutdown", () => {
    if (instance.state !== "stopping") return;
    moveInstance(world, instance, "stopped", why.Code ?? "");
    world.instanceChanged(instance);
  });
}
