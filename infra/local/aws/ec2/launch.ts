import type { InstanceMetadataOptionsRequest, ResponseLaunchTemplateData } from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { World } from "../world.ts";
import type { Ec2Instance } from "./instance.ts";
import { startInstance } from "./life-cycle.ts";

/** A launch after template and request were merged; both RunInstances and the groups come through here. */
export interface LaunchRequest {
  readonly data: ResponseLaunchTemplateData;
  readonly subnetId: string;
  readonly least: number;
  readonly most: number;
  readonly tags: ReadonlyMap<string, string>;
  readonly group?: string;
  readonly clientToken?: string;
}

/** Launches between `least` and `most` instances in one subnet, or throws what EC2 answers when it cannot. */
export function launch(world: World, request: LaunchRequest): { reservationId: string; instances: Ec2Instance[] } {
  const { data } = request;
  const subnet = world.subnets.get(request.subnetId);
  if (subnet === undefined) {
    throw new AwsError("InvalidSubnetID.NotFound", `The subnet ID '${request.subnetId}' does not exist`);
  }
  const image = imageFor(world, data);
  const type = typeFor(world, data, image.architecture);
  const spot = data.InstanceMarketOptions?.MarketType === "spot";
  if (subnet.freeAddresses < request.least) {
    throw new AwsError(
      "InsufficientFreeAddressesInSubnet",
      `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
    );
  }
  const offering = { type, zone: subnet.zone, market: spot ? ("spot" as const) : ("on-demand" as const) };
  const wanted = Math.min(request.most, subnet.freeAddresses);
  const granted = world.offerings.grant(offering, request.least, wanted);
  const reservationId = world.newId("r");
  const instances = Array.from({ length: granted }, (_, launchIndex): Ec2Instance => {
    world.takeAddress(subnet.id);
    return {
      id: world.newId("i"),
      reservationId,
      type,
      imageId: image.id,
      architecture: image.architecture,
      subnetId: subnet.id,
      vpcId: subnet.vpcId,
      zone: subnet.zone,
      privateIp: world.newPrivateIp(),
      launchedAt: world.now(),
      spot,
      launchIndex,
      tags: new Map([...templateTags(data), ...request.tags]),
      securityGroups: data.SecurityGroupIds ?? [],
      shutdownBehavior: data.InstanceInitiatedShutdownBehavior ?? "stop",
      terminationProtected: data.DisableApiTermination ?? false,
      state: "pending",
      ...(request.group ? { group: request.group } : {}),
      ...(request.clientToken ? { clientToken: request.clientToken } : {}),
      ...(data.UserData ? { userData: data.UserData } : {}),
      ...(data.KeyName ? { keyName: data.KeyName } : {}),
      ...(data.IamInstanceProfile?.Arn ? { profileArn: data.IamInstanceProfile.Arn } : {}),
      ...(data.MetadataOptions ? { metadata: data.MetadataOptions as InstanceMetadataOptionsRequest } : {}),
    };
  });
  for (const instance of instances) startInstance(world, instance, "launched");
  return { reservationId, instances };
}

function imageFor(world: World, data: ResponseLaunchTemplateData) {
  const image = world.images.get(data.ImageId ?? "");
  if (image !== undefined && image.state === "available") return image;
  if (data.ImageId === undefined) {
    throw new AwsError("MissingParameter", "The request must contain the parameter ImageId");
  }
  throw new AwsError("InvalidAMIID.NotFound", `The image id '[${data.ImageId}]' does not exist`);
}

function typeFor(world: World, data: ResponseLaunchTemplateData, architecture: string): string {
  const name = data.InstanceType ?? "m1.small";
  const entry = world.instanceTypes.get(name);
  if (entry === undefined) {
    throw new AwsError("InvalidParameterValue", `Invalid value '${name}' for InstanceType.`);
  }
  if (entry.architectures.includes(architecture)) return name;
  throw new AwsError(
    "InvalidParameterValue",
    `The architecture '${entry.architectures.join(",")}' of the specified instance type does not match the architecture '${architecture}' of the specified AMI.`,
  );
}

function templateTags(data: ResponseLaunchTemplateData): [string, string][] {
  const specification = data.TagSpecifications?.find((entry) => entry.ResourceType === "instance");
  return (specification?.Tags ?? []).map((tag) => [tag.Key ?? "", tag.Value ?? ""]);
}
