import { isAlive } from "../ec2/instance.ts";
import { stateReasons, terminateInstance } from "../ec2/life-cycle.ts";
import type { World } from "../world.ts";
import { moveActivity, startActivity } from "./activity.ts";
import { type Group, isLeaving, type Member } from "./group.ts";
import { dropWaits, holdInHooks } from "./hook-waits.ts";
import { moveMember } from "./member.ts";
import { wake } from "./wake.ts";

interface Ending {
  /** Completes the sentence "an instance was taken out of service in response to ...". */
  reason: string;
  actor?: string;
  /** The activity's whole cause, where the caller knows it better. */
  cause?: string;
  withoutHooks?: boolean;
}

/** Takes a member out: Terminating, held by the termination hooks if there are any, then its instance ends and it is gone. */
export function endMember(world: World, group: Group, member: Member, ending: Ending): void {
  if (isLeaving(member)) return;
  dropWaits(member);
  moveActivity(world, group, member.activity, "Cancelled");
  const at = `${new Date(world.now()).toISOString().slice(0, 19)}Z`;
  member.activity = startActivity(world, group, {
    description: `Terminating EC2 instance: ${member.instanceId}`,
    cause: ending.cause ?? `At ${at} an instance was taken out of service in response to ${ending.reason}.`,
    zone: member.zone,
  });
  moveMember(world, group, member, "Terminating", ending.reason, ending.actor);
  const proceed = () => {
    const instance = world.instances.get(member.instanceId);
    // A machine that ended before its group noticed has nothing left to wait for.
    if (instance === undefined || instance.state === "terminated") leave(world, group, member);
    else if (isAlive(instance)) terminateInstance(world, instance, stateReasons.user);
  };
  const held =
    ending.withoutHooks !== true &&
    holdInHooks(world, group, member, "autoscaling:EC2_INSTANCE_TERMINATING", () => {
      // Either result ends the instance; ABANDON only skips the remaining hooks.
      moveMember(world, group, member, "Terminating:Proceed", "termination hooks completed");
      proceed();
    });
  if (held) moveActivity(world, group, member.activity, "MidLifecycleAction");
  else proceed();
  wake(world, group);
}

/** The instance is terminated and nothing holds its place any more: the group forgets it. */
export function leave(world: World, group: Group, member: Member): void {
  if (!group.members.delete(member.instanceId)) return;
  moveActivity(world, group, member.activity, "Successful");
  const instance = world.instances.get(member.instanceId);
  if (instance !== undefined) delete instance.group;
  world.groupViews.changed(group.name);
  const { instanceId, state: from } = member;
  world.emit({
    type: "member-state",
    group: group.name,
    instanceId,
    from,
    to: "Terminated",
    actor: "auto-scaling",
    reason: "gone",
  });
  if (group.deleting && group.members.size === 0) {
    world.groups.delete(group.name);
    world.groupViews.changed(group.name);
    return;
  }
  wake(world, group);
}
