import type { AutoScalingGroup, LifecycleState } from "@aws-sdk/client-auto-scaling";
import type { Group, Member } from "../auto-scaling/group.ts";
import { groupShape } from "../auto-scaling/group-shape.ts";
import { applySpec, type GroupSpec, newGroup } from "../auto-scaling/group-spec.ts";
import { completeWait, dropWaits } from "../auto-scaling/hook-waits.ts";
import { endMember } from "../auto-scaling/leaving.ts";
import { findMember, moveMember } from "../auto-scaling/member.ts";
import { changeDesired } from "../auto-scaling/set-desired-capacity.ts";
import { wake } from "../auto-scaling/wake.ts";
import type { World } from "../world.ts";
import type { RegionOperator } from "./region.ts";

/** What people and other tools do to Auto Scaling groups, outside of Drover. */
export interface GroupOperator {
  createGroup(name: string, spec?: GroupSpec): void;
  /** Changes only what is named; `tags`, `hooks` and `suspended` replace the whole set. */
  updateGroup(name: string, spec: GroupSpec): void;
  /** Deletes with force: outstanding lifecycle actions are dropped, the instances end first, and until they are gone the group shows "Delete in progress". */
  deleteGroup(name: string): void;
  /** Someone else writes the desired capacity, unchecked against min and max. */
  setDesired(name: string, desired: number, actor?: string): void;
  /** Puts a member into a state that Drover itself never causes: Standby, Detached, a warm pool's states ... */
  setMemberState(instanceId: string, state: LifecycleState): void;
  protectFromScaleIn(instanceId: string, isProtected: boolean): void;
  /** The group as it truly is now, without any read lag. */
  group(name: string): AutoScalingGroup | undefined;
}

/** As every group of hosts should launch: jobs run on them. */
const launchData = {
  MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1 },
  IamInstanceProfile: { Arn: "arn:aws:iam::123456789012:instance-profile/hosts" },
} as const;

export function groupOperator(world: World, settle: () => void, region: RegionOperator): GroupOperator {
  const groupOf = (name: string): Group => {
    settle();
    const group = world.groups.get(name);
    if (group === undefined) throw new Error(`There is no group ${name}`);
    return group;
  };
  const memberOf = (instanceId: string): { group: Group; member: Member } => {
    settle();
    const found = findMember(world, instanceId);
    if (found === undefined) throw new Error(`No group holds ${instanceId}`);
    return found;
  };
  return {
    createGroup(name, spec = {}) {
      settle();
      if (world.groups.has(name)) throw new Error(`There is a group ${name} already`);
      const template = spec.template ?? {
        id: region.createLaunchTemplate({ name, data: launchData }),
        version: "$Latest",
      };
      const group = newGroup(world, name, template);
      world.groups.set(name, group);
      applySpec(world, group, spec);
    },
    updateGroup(name, spec) {
      applySpec(world, groupOf(name), spec);
    },
    deleteGroup(name) {
      const group = groupOf(name);
      group.deleting = true;
      group.desired = 0;
      for (const member of [...group.members.values()]) {
        for (const wait of member.waits.slice(0, 1)) completeWait(world, group, member, wait, "ABANDON", "operator");
        endMember(world, group, member, { reason: "the deletion of the group", actor: "operator", withoutHooks: true });
      }
      if (group.members.size === 0) world.groups.delete(name);
      world.groupViews.changed(name);
    },
    setDesired(name, desired, actor = "operator") {
      const group = groupOf(name);
      changeDesired(world, group, desired, actor, "SetDesiredCapacity");
    },
    setMemberState(instanceId, state) {
      const { group, member } = memberOf(instanceId);
      dropWaits(member);
      moveMember(world, group, member, state, "set from outside", "operator");
      if (state === "Detached") {
        group.members.delete(instanceId);
        const instance = world.instances.get(instanceId);
        if (instance !== undefined) delete instance.group;
        world.groupViews.changed(group.name);
      }
      wake(world, group);
    },
    protectFromScaleIn(instanceId, isProtected) {
      const { group, member } = memberOf(instanceId);
      member.protectedFromScaleIn = isProtected;
      world.groupViews.changed(group.name);
      wake(world, group);
    },
    group(name) {
      settle();
      const group = world.groups.get(name);
      return group === undefined ? undefined : groupShape(world, group);
    },
  };
}
