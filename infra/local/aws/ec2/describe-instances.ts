import type {
  DescribeInstancesCommandInput,
  DescribeInstancesCommandOutput,
  Instance,
  Reservation,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import { pageOf } from "../paging.ts";
import type { World } from "../world.ts";
import { matchesFilters, tagValues } from "./filters.ts";

const mostPerPage = 1000;

/**
 * Instances by id or by filters. One unknown id fails the whole call. Without MaxResults everything comes in one answer up to
 * 1,000; MaxResults (5 to 1,000) cannot go with ids.
 */
export function describeInstances(
  world: World,
  input: DescribeInstancesCommandInput,
): Answer<DescribeInstancesCommandOutput> {
  const ids = input.InstanceIds ?? [];
  if (input.MaxResults !== undefined) checkMaxResults(input.MaxResults, ids);
  const seen = ids.length > 0 ? requireAll(world, ids) : allInstances(world);
  const matching = seen.filter((instance) => matchesFilters(input.Filters, (name) => filterValues(instance, name)));
  const size = input.MaxResults ?? mostPerPage;
  const invalid = new AwsError("InvalidNextToken", "The token is not valid.");
  const page = pageOf(matching, (instance) => instance.InstanceId ?? "", size, input.NextToken, invalid);
  return { Reservations: reservations(world, page.items), ...(page.nextToken ? { NextToken: page.nextToken } : {}) };
}

function checkMaxResults(size: number, ids: readonly string[]): void {
  if (ids.length > 0) {
    throw new AwsError(
      "InvalidParameterCombination",
      "The parameter instancesSet cannot be used with the parameter maxResults",
    );
  }
  if (size < 5 || size > mostPerPage) {
    throw new AwsError("InvalidParameterValue", `Value ( ${size} ) for parameter maxResults is invalid.`);
  }
}

function allInstances(world: World): Instance[] {
  return world.instanceViews.keys().flatMap((id) => world.instanceViews.get(id) ?? []);
}

function requireAll(world: World, ids: readonly string[]): Instance[] {
  requireWellFormed(ids);
  const found = [...new Set(ids)].map((id) => ({ id, instance: world.instanceViews.get(id) }));
  const missing = found.filter((entry) => entry.instance === undefined).map((entry) => entry.id);
  if (missing.length > 0) throw instanceNotFound(missing);
  return found.flatMap((entry) => entry.instance ?? []);
}

export function requireWellFormed(ids: readonly string[]): void {
  const malformed = ids.find((id) => !/^i-[0-9a-f]{8}(?:[0-9a-f]{9})?$/.test(id));
  if (malformed !== undefined) throw new AwsError("InvalidInstanceID.Malformed", `Invalid id: "${malformed}"`);
}

export function instanceNotFound(ids: readonly string[]): AwsError {
  const which = ids.length === 1 ? `ID '${ids[0]}' does` : `IDs '${ids.join(", ")}' do`;
  return new AwsError("InvalidInstanceID.NotFound", `The instance ${which} not exist`);
}

function filterValues(instance: Instance, name: string): readonly string[] | undefined {
  const tags = new Map((instance.Tags ?? []).map((tag) => [tag.Key ?? "", tag.Value ?? ""]));
  const single: Record<string, string | number | undefined> = {
    "availability-zone": instance.Placement?.AvailabilityZone,
    "client-token": instance.ClientToken,
    "image-id": instance.ImageId,
    "instance-id": instance.InstanceId,
    "instance-lifecycle": instance.InstanceLifecycle,
    "instance-state-code": instance.State?.Code,
    "instance-state-name": instance.State?.Name,
    "instance-type": instance.InstanceType,
    "private-ip-address": instance.PrivateIpAddress,
    "subnet-id": instance.SubnetId,
    "vpc-id": instance.VpcId,
  };
  if (name in single) return single[name] === undefined ? [] : [String(single[name])];
  return tagValues(tags, name);
}

/** Instances of one launch share a reservation; one that is gone from the world keeps its own. */
function reservations(world: World, instances: readonly Instance[]): Reservation[] {
  const byId = new Map<string, Instance[]>();
  for (const instance of instances) {
    const id = world.instances.get(instance.InstanceId ?? "")?.reservationId ?? `r-${instance.InstanceId?.slice(2)}`;
    byId.set(id, [...(byId.get(id) ?? []), instance]);
  }
  return [...byId].map(([ReservationId, Instances]) => ({
    ReservationId,
    OwnerId: world.account,
    Groups: [],
    Instances,
  }));
}
