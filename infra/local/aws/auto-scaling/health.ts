import { isActive } from "../ec2/instance.ts";
import type { World } from "../world.ts";
import { type Group, isLeaving, isSuspended, isWarm, type Member } from "./group.ts";
import { endMember } from "./leaving.ts";

/**
 * Marks members whose instance no longer runs, and replaces those marked unhealthy. Members in standby are not checked. Protection
 * from scale-in does not hold an unhealthy instance.
 */
export function judgeHealth(world: World, group: Group): void {
  for (const member of [...group.members.values()]) {
    if (isLeaving(member) || isWarm(member) || member.state.includes("tandby")) continue;
    if (member.healthy && !isSuspended(group, "HealthCheck") && !runs(world, member)) {
      member.healthy = false;
      world.groupViews.changed(group.name);
    }
    if (member.healthy || isSuspended(group, "ReplaceUnhealthy") || isSuspended(group, "Terminate")) continue;
    const reason = runs(world, member)
      ? "a health check that indicated it is unhealthy"
      : "an EC2 health check indicating it has been terminated or stopped";
    endMember(world, group, member, { reason });
  }
}

function runs(world: World, member: Member): boolean {
  const instance = world.instances.get(member.instanceId);
  return instance !== undefined && isActive(instance);
}
