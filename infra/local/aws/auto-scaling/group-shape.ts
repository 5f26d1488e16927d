import type { AutoScalingGroup, Instance } from "@aws-sdk/client-auto-scaling";
import type { World } from "../world.ts";
import { type Group, isWarm, type Member } from "./group.ts";
import { zonesOf } from "./zones.ts";

/** A group as DescribeAutoScalingGroups shows it. Its warm pool's instances are listed by DescribeWarmPool instead. */
export function groupShape(world: World, group: Group): AutoScalingGroup {
  const members = [...group.members.values()];
  return {
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: group.arn,
    MinSize: group.minSize,
    MaxSize: group.maxSize,
    DesiredCapacity: group.desired,
    DefaultCooldown: group.defaultCooldown,
    AvailabilityZones: zonesOf(world, group),
    VPCZoneIdentifier: group.subnets.join(","),
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: "EC2",
    HealthCheckGracePeriod: group.gracePeriod,
    Instances: members.filter((member) => !isWarm(member)).map(memberShape),
    CreatedTime: new Date(group.createdAt),
    SuspendedProcesses: [...group.suspended].map(([ProcessName, SuspensionReason]) => ({
      ProcessName,
      SuspensionReason,
    })),
    EnabledMetrics: [],
    Tags: [...group.tags].map(([Key, tag]) => ({
      ResourceId: group.name,
      ResourceType: "auto-scaling-group",
      Key,
      Value: tag.value,
      PropagateAtLaunch: tag.propagate,
    })),
    TerminationPolicies: [...group.terminationPolicies],
    NewInstancesProtectedFromScaleIn: group.newInstancesProtected,
    ServiceLinkedRoleARN: `arn:aws:iam::${world.account}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`,
    CapacityRebalance: group.capacityRebalance,
    ...(group.deleting ? { Status: "Delete in progress" } : {}),
    ...(group.template && !group.mixed ? { LaunchTemplate: templateReference(world, group.template) } : {}),
    ...(group.mixed ? { MixedInstancesPolicy: structuredClone(group.mixed) } : {}),
    ...(group.maxInstanceLifetime === undefined ? {} : { MaxInstanceLifetime: group.maxInstanceLifetime }),
    ...(group.maintenance ? { InstanceMaintenancePolicy: { ...group.maintenance } } : {}),
    ...(group.warmPool
      ? { WarmPoolConfiguration: structuredClone(group.warmPool), WarmPoolSize: members.filter(isWarm).length }
      : {}),
  };
}

export function memberShape(member: Member): Instance {
  return {
    InstanceId: member.instanceId,
    InstanceType: member.type,
    AvailabilityZone: member.zone,
    LifecycleState: member.state,
    HealthStatus: member.healthy ? "Healthy" : "Unhealthy",
    ProtectedFromScaleIn: member.protectedFromScaleIn,
    ...(member.weight === 1 ? {} : { WeightedCapacity: String(member.weight) }),
    ...(member.template ? { LaunchTemplate: memberTemplate(member.template) } : {}),
  };
}

function memberTemplate(template: NonNullable<Member["template"]>) {
  return { LaunchTemplateId: template.id, LaunchTemplateName: template.name, Version: template.version };
}

function templateReference(world: World, reference: { id: string; version: string }) {
  const name = world.launchTemplates.get(reference.id)?.name;
  return {
    LaunchTemplateId: reference.id,
    ...(name ? { LaunchTemplateName: name } : {}),
    Version: reference.version,
  };
}
