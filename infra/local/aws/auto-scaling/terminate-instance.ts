import type {
  TerminateInstanceInAutoScalingGroupCommandInput,
  TerminateInstanceInAutoScalingGroupCommandOutput,
} from "@aws-sdk/client-auto-scaling";
import { validationError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { activityShape } from "./activity.ts";
import { countsTowardsDesired, type Group, isLeaving, isWarm, type Member } from "./group.ts";
import { endMember } from "./leaving.ts";
import { requireParameter } from "./limits.ts";
import { findMember } from "./member.ts";
import { changeDesired } from "./set-desired-capacity.ts";

/**
 * Ends one named instance, with or without lowering the desired capacity. Protection from scale-in and a suspended Terminate do not
 * hold it; the minimum does, when the capacity would fall below it.
 */
export function terminateInstanceInAutoScalingGroup(
  world: World,
  input: TerminateInstanceInAutoScalingGroupCommandInput,
  caller: string,
): Answer<TerminateInstanceInAutoScalingGroupCommandOutput> {
  requireParameter(input.InstanceId, "instanceId");
  requireParameter(input.ShouldDecrementDesiredCapacity, "shouldDecrementDesiredCapacity");
  const found = findMember(world, input.InstanceId);
  if (found === undefined) {
    throw validationError(`Instance Id not found - No managed instance found for instance ID: ${input.InstanceId}`);
  }
  const { group, member } = found;
  if (isWarm(member)) {
    throw validationError(
      `The instance ${member.instanceId} is in a warm pool and cannot be terminated by this action.`,
    );
  }
  // Nothing at AWS promises that asking twice lowers once: here it lowers twice, so that a blind repeat shows.
  if (input.ShouldDecrementDesiredCapacity === true) decrement(world, group, member, caller);
  if (!isLeaving(member)) {
    const at = `${new Date(world.now()).toISOString().slice(0, 19)}Z`;
    const cause = `At ${at} instance ${member.instanceId} was taken out of service in response to a user request.`;
    endMember(world, group, member, { reason: "a user request", actor: caller, cause });
  }
  return member.activity === undefined ? {} : { Activity: activityShape(group, member.activity) };
}

function decrement(world: World, group: Group, member: Member, caller: string): void {
  const to = group.desired - member.weight;
  // An instance in standby has left the desired capacity already.
  if (!countsTowardsDesired(member) && !isLeaving(member)) return;
  if (to < group.minSize) {
    throw validationError(
      `Currently, desiredSize equals minSize (${group.minSize}). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`,
    );
  }
  changeDesired(world, group, to, caller, "TerminateInstanceInAutoScalingGroup");
}
