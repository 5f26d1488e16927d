import type { LaunchTemplateOverrides } from "@aws-sdk/client-auto-scaling";
import { AwsError } from "../aws-error.ts";
import { type LaunchRequest, launch } from "../ec2/launch.ts";
import { findTemplate, resolveVersion } from "../ec2/launch-template.ts";
import type { World } from "../world.ts";
import { moveActivity, startActivity } from "./activity.ts";
import type { Group, Member } from "./group.ts";
import { subnetsByNeed } from "./zones.ts";

interface Choice {
  readonly type: string | undefined;
  readonly weight: number;
}

/** Launches one member in the emptiest zone that has capacity; false when every offering failed, which is then an activity. */
export function launchMember(world: World, group: Group, cause: string): boolean {
  let failure: AwsError | undefined;
  for (const subnetId of subnetsByNeed(world, group)) {
    for (const choice of choicesOf(group)) {
      try {
        addMember(world, group, subnetId, choice, cause);
        group.launchFailures = 0;
        return true;
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        failure = error;
      }
    }
  }
  const activity = startActivity(world, group, { description: "Launching a new EC2 instance", cause });
  moveActivity(world, group, activity, "Failed", `${failure?.message ?? ""} Launching EC2 instance failed.`);
  group.launchFailures += 1;
  return false;
}

function choicesOf(group: Group): Choice[] {
  const overrides: LaunchTemplateOverrides[] = group.mixed?.LaunchTemplate?.Overrides ?? [];
  if (overrides.length === 0) return [{ type: undefined, weight: 1 }];
  return overrides.map((entry) => ({ type: entry.InstanceType, weight: Number(entry.WeightedCapacity ?? 1) }));
}

function addMember(world: World, group: Group, subnetId: string, choice: Choice, cause: string): void {
  const named = group.mixed?.LaunchTemplate?.LaunchTemplateSpecification;
  const reference = named
    ? { id: named.LaunchTemplateId ?? findTemplate(world, named).id, version: named.Version ?? "$Default" }
    : group.template;
  if (reference === undefined) throw new AwsError("ValidationError", "The group has no launch template.");
  const template = findTemplate(world, { LaunchTemplateId: reference.id });
  const { data, number } = resolveVersion(template, reference.version);
  const request: LaunchRequest = {
    data: { ...data, ...(choice.type ? { InstanceType: choice.type as NonNullable<typeof data.InstanceType> } : {}) },
    subnetId,
    least: 1,
    most: 1,
    tags: instanceTags(group),
    group: group.name,
  };
  const [instance] = launch(world, request).instances;
  if (instance === undefined) return;
  const member: Member = {
    instanceId: instance.id,
    zone: instance.zone,
    type: instance.type,
    weight: choice.weight,
    template: { id: template.id, name: template.name, version: String(number) },
    joinedAt: world.now(),
    state: "Pending",
    healthy: true,
    protectedFromScaleIn: group.newInstancesProtected,
    waits: [],
  };
  group.members.set(instance.id, member);
  member.activity = startActivity(world, group, {
    description: `Launching a new EC2 instance: ${instance.id}`,
    cause,
    zone: instance.zone,
    status: "PreInService",
  });
  world.groupViews.changed(group.name);
  world.emit({
    type: "member-state",
    group: group.name,
    instanceId: instance.id,
    to: "Pending",
    actor: "auto-scaling",
    reason: cause,
  });
}

/** AWS adds the group's name to every instance; of the group's own tags only those marked for propagation. */
function instanceTags(group: Group): Map<string, string> {
  const tags = new Map([["aws:autoscaling:groupName", group.name]]);
  for (const [key, tag] of group.tags) if (tag.propagate) tags.set(key, tag.value);
  return tags;
}
