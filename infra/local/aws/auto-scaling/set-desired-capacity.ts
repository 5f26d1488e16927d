import type { SetDesiredCapacityCommandInput } from "@aws-sdk/client-auto-scaling";
import { AwsError, validationError } from "../aws-error.ts";
import type { World } from "../world.ts";
import type { Group } from "./group.ts";
import { requireGroup, requireParameter } from "./limits.ts";
import { wake } from "./wake.ts";

/** Sets the absolute wish. There is no precondition at AWS: whoever writes last wins, and a lower number ends instances. */
export function setDesiredCapacity(world: World, input: SetDesiredCapacityCommandInput, caller: string): object {
  requireParameter(input.DesiredCapacity, "desiredCapacity");
  const group = requireGroup(world, input.AutoScalingGroupName);
  const wanted = input.DesiredCapacity ?? 0;
  refuseDeleting(group);
  if (wanted > group.maxSize) {
    throw validationError(
      `New SetDesiredCapacity value ${wanted} is above max value ${group.maxSize} for the AutoScalingGroup.`,
    );
  }
  if (wanted < group.minSize) {
    throw validationError(
      `New SetDesiredCapacity value ${wanted} is below min value ${group.minSize} for the AutoScalingGroup.`,
    );
  }
  if (input.HonorCooldown === true && isCooling(world, group)) {
    throw new AwsError(
      "ScalingActivityInProgress",
      `Scaling activity is in progress and blocks this action: the group ${group.name} is in its cooldown period.`,
    );
  }
  changeDesired(world, group, wanted, caller, "SetDesiredCapacity");
  return {};
}

/** Writes the wish, lets the cooldown begin and wakes the group. */
export function changeDesired(world: World, group: Group, to: number, actor: string, operation: string): void {
  const from = group.desired;
  if (from !== to) {
    group.desired = to;
    group.lastScalingAt = world.now();
    world.groupViews.changed(group.name);
    world.emit({ type: "desired-capacity", group: group.name, from, to, actor, operation });
  }
  wake(world, group);
}

function refuseDeleting(group: Group): void {
  if (!group.deleting) return;
  throw validationError(`AutoScalingGroup '${group.name}' is pending delete`);
}

function isCooling(world: World, group: Group): boolean {
  return group.lastScalingAt !== undefined && world.now() < group.lastScalingAt + group.defaultCooldown * 1000;
}
