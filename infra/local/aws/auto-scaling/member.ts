import type { LifecycleState } from "@aws-sdk/client-auto-scaling";
import type { World } from "../world.ts";
import type { Group, Member } from "./group.ts";

export function moveMember(
  world: World,
  group: Group,
  member: Member,
  to: LifecycleState,
  reason: string,
  actor = "auto-scaling",
): void {
  const from = member.state;
  if (from === to) return;
  member.state = to;
  world.groupViews.changed(group.name);
  world.emit({ type: "member-state", group: group.name, instanceId: member.instanceId, from, to, actor, reason });
}

/** The group that manages an instance and its place in it, or undefined. */
export function findMember(world: World, instanceId: string | undefined): { group: Group; member: Member } | undefined {
  for (const group of world.groups.values()) {
    const member = instanceId === undefined ? undefined : group.members.get(instanceId);
    if (member !== undefined) return { group, member };
  }
  return undefined;
}
