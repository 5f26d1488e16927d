import type {
  DescribeImagesCommandInput,
  DescribeImagesCommandOutput,
  DescribeInstanceTypesCommandInput,
  DescribeInstanceTypesCommandOutput,
  DescribeSubnetsCommandInput,
  DescribeSubnetsCommandOutput,
  Image,
  InstanceTypeInfo,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { matchesFilters, tagValues } from "./filters.ts";
import { resultsPage } from "./results-page.ts";

export function describeInstanceTypes(
  world: World,
  input: DescribeInstanceTypesCommandInput,
): Answer<DescribeInstanceTypesCommandOutput> {
  const names = input.InstanceTypes ?? [];
  const unknown = names.filter((name) => !world.instanceTypes.has(name));
  if (unknown.length > 0) {
    const message = `The following supplied instance types do not exist: [${unknown.join(", ")}]`;
    throw new AwsError("InvalidInstanceType", message);
  }
  const chosen = [...world.instanceTypes.values()]
    .filter((entry) => names.length === 0 || names.includes(entry.type as (typeof names)[number]))
    .filter((entry) =>
      matchesFilters(input.Filters, (name) => {
        if (name === "instance-type") return [entry.type];
        return name === "processor-info.supported-architecture" ? entry.architectures : undefined;
      }),
    );
  const page = resultsPage(chosen, (entry) => entry.type, input, { byDefault: 100, least: 5, most: 100 });
  const shapes = page.items.map((entry) => ({
    InstanceType: entry.type,
    CurrentGeneration: true,
    SupportedUsageClasses: ["on-demand", "spot"],
    VCpuInfo: { DefaultVCpus: entry.vcpus },
    MemoryInfo: { SizeInMiB: entry.memoryMiB },
    ProcessorInfo: { SupportedArchitectures: [...entry.architectures] },
  }));
  return { InstanceTypes: shapes as InstanceTypeInfo[], ...page.token };
}

export function describeImages(world: World, input: DescribeImagesCommandInput): Answer<DescribeImagesCommandOutput> {
  const ids = input.ImageIds ?? [];
  const available = [...world.images.values()].filter((entry) => entry.state === "available");
  const unknown = ids.filter((id) => !available.some((entry) => entry.id === id));
  if (unknown.length > 0) {
    throw new AwsError("InvalidAMIID.NotFound", `The image id '[${unknown.join(", ")}]' does not exist`);
  }
  const chosen = available
    .filter((entry) => ids.length === 0 || ids.includes(entry.id))
    .filter((entry) =>
      matchesFilters(input.Filters, (name) => {
        const values: Record<string, string> = {
          architecture: entry.architecture,
          "image-id": entry.id,
          name: entry.name,
          state: entry.state,
        };
        return name in values ? [values[name] ?? ""] : undefined;
      }),
    );
  const page = resultsPage(chosen, (entry) => entry.id, input, { byDefault: 1000, least: 1, most: 1000 });
  const shapes = page.items.map(
    (entry): Image => ({
      ImageId: entry.id,
      Name: entry.name,
      Architecture: entry.architecture,
      State: "available",
      CreationDate: new Date(entry.createdAt).toISOString(),
      ImageType: "machine",
      OwnerId: world.account,
      RootDeviceType: "ebs",
      RootDeviceName: "/dev/xvda",
    }),
  );
  return { Images: shapes, ...page.token };
}

export function describeSubnets(
  world: World,
  input: DescribeSubnetsCommandInput,
): Answer<DescribeSubnetsCommandOutput> {
  const ids = input.SubnetIds ?? [];
  const unknown = ids.filter((id) => !world.subnets.has(id));
  if (unknown.length > 0) {
    throw new AwsError("InvalidSubnetID.NotFound", `The subnet ID '${unknown.join(", ")}' does not exist`);
  }
  const chosen = [...world.subnets.values()]
    .filter((entry) => ids.length === 0 || ids.includes(entry.id))
    .filter((entry) =>
      matchesFilters(input.Filters, (name) => {
        if (name === "subnet-id") return [entry.id];
        if (name === "vpc-id") return [entry.vpcId];
        return name === "availability-zone" ? [entry.zone] : tagValues(entry.tags, name);
      }),
    );
  const page = resultsPage(chosen, (entry) => entry.id, input, { byDefault: 1000, least: 5, most: 1000 });
  const shapes = page.items.map((entry) => ({
    SubnetId: entry.id,
    VpcId: entry.vpcId,
    AvailabilityZone: entry.zone,
    CidrBlock: entry.cidr,
    State: "available" as const,
    AvailableIpAddressCount: entry.freeAddresses,
    OwnerId: world.account,
    Tags: [...entry.tags].map(([Key, Value]) => ({ Key, Value })),
  }));
  return { Subnets: shapes, ...page.token };
}
