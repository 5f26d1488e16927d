import type { World } from "../world.ts";
import { moveActivity } from "./activity.ts";
import type { Group, Member } from "./group.ts";
import { holdInHooks } from "./hook-waits.ts";
import { endMember } from "./leaving.ts";
import { moveMember } from "./member.ts";
import { wake } from "./wake.ts";

/** The member's machine runs: Pending goes on to the launch hooks, or to InService where there are none. */
export function bootedMember(world: World, group: Group, member: Member): void {
  world.after("enterService", () => {
    if (member.state !== "Pending" || !group.members.has(member.instanceId)) return;
    const held = holdInHooks(world, group, member, "autoscaling:EC2_INSTANCE_LAUNCHING", (result) => {
      if (result === "ABANDON") {
        moveActivity(world, group, member.activity, "Cancelled", "Instance failed to complete user's Lifecycle Action");
        endMember(world, group, member, { reason: "launch abandoned by a lifecycle hook", withoutHooks: true });
        return;
      }
      moveMember(world, group, member, "Pending:Proceed", "launch hooks completed");
      world.after("enterService", () => {
        if (member.state === "Pending:Proceed") enterService(world, group, member);
      });
    });
    if (held) moveActivity(world, group, member.activity, "MidLifecycleAction");
    else enterService(world, group, member);
  });
}

function enterService(world: World, group: Group, member: Member): void {
  moveMember(world, group, member, "InService", "in service");
  moveActivity(world, group, member.activity, "Successful");
  if (group.maxInstanceLifetime !== undefined) {
    world.at(member.joinedAt + group.maxInstanceLifetime * 1000, () => {
      if (member.state !== "InService" || group.maxInstanceLifetime === undefined) return;
      endMember(world, group, member, { reason: "the maximum instance lifetime was reached" });
    });
  }
  wake(world, group);
}
