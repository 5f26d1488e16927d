import type { Instance, InstanceMetadataOptionsRequest, InstanceStateName, StateReason } from "@aws-sdk/client-ec2";
import type { World } from "../world.ts";

/** One EC2 instance as the simulator knows it; the API's shape is rendered from it. */
export interface Ec2Instance {
  readonly id: string;
  readonly reservationId: string;
  readonly type: string;
  readonly imageId: string;
  readonly architecture: string;
  readonly subnetId: string;
  readonly vpcId: string;
  readonly zone: string;
  readonly privateIp: string;
  readonly launchedAt: number;
  readonly spot: boolean;
  readonly launchIndex: number;
  readonly tags: Map<string, string>;
  readonly clientToken?: string;
  readonly userData?: string;
  readonly keyName?: string;
  readonly securityGroups: readonly string[];
  readonly profileArn?: string;
  readonly metadata?: InstanceMetadataOptionsRequest;
  shutdownBehavior: "stop" | "terminate";
  terminationProtected: boolean;
  state: InstanceStateName;
  stateReason?: StateReason;
  /** The Auto Scaling group that manages it, while it does. */
  group?: string;
}

const stateCodes: Record<InstanceStateName, number> = {
  pending: 0,
  running: 16,
  "shutting-down": 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/** The API's pair of code and name for a state. */
export function stateShape(name: InstanceStateName): { Code: number; Name: InstanceStateName } {
  return { Code: stateCodes[name], Name: name };
}

/** The instance as DescribeInstances and RunInstances show it. A terminated one has lost its network. */
export function instanceShape(instance: Ec2Instance): Instance {
  const hasNetwork = instance.state !== "terminated" && instance.state !== "shutting-down";
  return {
    InstanceId: instance.id,
    ImageId: instance.imageId,
    InstanceType: instance.type as NonNullable<Instance["InstanceType"]>,
    Architecture: instance.architecture as NonNullable<Instance["Architecture"]>,
    AmiLaunchIndex: instance.launchIndex,
    // EC2 reports launch times in whole seconds.
    LaunchTime: new Date(Math.floor(instance.launchedAt / 1000) * 1000),
    Placement: { AvailabilityZone: instance.zone, Tenancy: "default", GroupName: "" },
    Monitoring: { State: "disabled" },
    State: stateShape(instance.state),
    Tags: [...instance.tags].map(([Key, Value]) => ({ Key, Value })),
    SecurityGroups: instance.securityGroups.map((GroupId) => ({ GroupId, GroupName: GroupId })),
    BlockDeviceMappings: [],
    NetworkInterfaces: [],
    ProductCodes: [],
    RootDeviceName: "/dev/xvda",
    RootDeviceType: "ebs",
    VirtualizationType: "hvm",
    PrivateDnsName: hasNetwork ? `ip-${instance.privateIp.replaceAll(".", "-")}.ec2.internal` : "",
    PublicDnsName: "",
    StateTransitionReason: instance.stateReason?.Message ?? "",
    MetadataOptions: {
      State: "applied",
      HttpTokens: instance.metadata?.HttpTokens ?? "optional",
      HttpPutResponseHopLimit: instance.metadata?.HttpPutResponseHopLimit ?? 1,
      HttpEndpoint: instance.metadata?.HttpEndpoint ?? "enabled",
      InstanceMetadataTags: instance.metadata?.InstanceMetadataTags ?? "disabled",
    },
    ...(hasNetwork ? { SubnetId: instance.subnetId, VpcId: instance.vpcId, PrivateIpAddress: instance.privateIp } : {}),
    ...(instance.stateReason ? { StateReason: { ...instance.stateReason } } : {}),
    ...(instance.spot ? { InstanceLifecycle: "spot" as const } : {}),
    ...(instance.clientToken ? { ClientToken: instance.clientToken } : {}),
    ...(instance.keyName ? { KeyName: instance.keyName } : {}),
    ...(instance.profileArn ? { IamInstanceProfile: { Arn: instance.profileArn, Id: "AIPAEXAMPLE" } } : {}),
  };
}

/** Whether the instance still holds its machine (and its address): all states but the two last ones. */
export function isAlive(instance: Ec2Instance): boolean {
  return instance.state !== "terminated" && instance.state !== "shutting-down";
}

/** Whether a listing at this moment belongs to the living ones of a quota: pending or running. */
export function isActive(instance: Ec2Instance): boolean {
  return instance.state === "pending" || instance.state === "running";
}

export function moveInstance(world: World, instance: Ec2Instance, to: InstanceStateName, reason: string): void {
  const from = instance.state;
  if (from === to) return;
  instance.state = to;
  world.instanceViews.changed(instance.id);
  world.emit({
    type: "instance-state",
    instanceId: instance.id,
    from,
    to,
    reason,
    ...(instance.group ? { group: instance.group } : {}),
  });
}
