import type {
  ResponseLaunchTemplateData,
  RunInstancesCommandInput,
  RunInstancesCommandOutput,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { recallToken, rememberToken, tokenScope } from "./client-tokens.ts";
import { type Ec2Instance, instanceShape } from "./instance.ts";
import { launch } from "./launch.ts";
import { findTemplate, resolveVersion } from "./launch-template.ts";
import { checkRunRequest } from "./run-checks.ts";

/** Launches instances from a template, the request's own parameters winning, at most once for each client token and zone. */
export function runInstances(world: World, input: RunInstancesCommandInput): Answer<RunInstancesCommandOutput> {
  checkRunRequest(input);
  const data = mergedData(world, input);
  const subnetId = subnetOf(world, input, data);
  const scope = tokenScope(world, input, subnetId);
  const recalled = recallToken(world, scope, input);
  if (recalled !== undefined) return answer(world, recalled.reservationId, recalled.instances);
  const { reservationId, instances } = launch(world, {
    data,
    subnetId: subnetId ?? anySubnet(world),
    least: input.MinCount ?? 1,
    most: input.MaxCount ?? 1,
    tags: new Map(requestTags(input)),
    ...(input.ClientToken ? { clientToken: input.ClientToken } : {}),
  });
  rememberToken(world, scope, input, reservationId, instances);
  return answer(world, reservationId, instances);
}

function answer(
  world: World,
  ReservationId: string,
  instances: readonly Ec2Instance[],
): Answer<RunInstancesCommandOutput> {
  return { ReservationId, OwnerId: world.account, Groups: [], Instances: instances.map(instanceShape) };
}

function mergedData(world: World, input: RunInstancesCommandInput): ResponseLaunchTemplateData {
  const { LaunchTemplate: named } = input;
  const base = named === undefined ? {} : resolveVersion(findTemplate(world, named), named.Version).data;
  const own: Partial<Record<keyof RunInstancesCommandInput, unknown>> = {};
  for (const key of overridable) if (input[key] !== undefined) own[key] = input[key];
  return { ...base, ...own } as ResponseLaunchTemplateData;
}

/** Request parameters that replace a template's; tags are merged instead, by key. */
const overridable = [
  "ImageId",
  "InstanceType",
  "UserData",
  "KeyName",
  "SecurityGroupIds",
  "IamInstanceProfile",
  "MetadataOptions",
  "InstanceInitiatedShutdownBehavior",
  "InstanceMarketOptions",
  "DisableApiTermination",
  "Placement",
] as const satisfies readonly (keyof RunInstancesCommandInput)[];

function subnetOf(world: World, input: RunInstancesCommandInput, data: ResponseLaunchTemplateData): string | undefined {
  const own = input.SubnetId ?? input.NetworkInterfaces?.[0]?.SubnetId ?? data.NetworkInterfaces?.[0]?.SubnetId;
  if (own !== undefined) return own;
  const zone = data.Placement?.AvailabilityZone;
  if (zone === undefined) return undefined;
  const subnet = [...world.subnets.values()].find((entry) => entry.zone === zone);
  if (subnet !== undefined) return subnet.id;
  throw new AwsError("InvalidParameterValue", `Invalid availability zone: [${zone}]`);
}

function anySubnet(world: World): string {
  return [...world.subnets.keys()][0] ?? "";
}

function requestTags(input: RunInstancesCommandInput): [string, string][] {
  const specifications = (input.TagSpecifications ?? []).filter((entry) => entry.ResourceType === "instance");
  return specifications.flatMap((entry) =>
    (entry.Tags ?? []).map((tag): [string, string] => [tag.Key ?? "", tag.Value ?? ""]),
  );
}
