import {
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  type EC2Client,
  type Instance as Ec2Instance,
  type Filter,
} from "@aws-sdk/client-ec2";
import { type Instance, type InstanceState, type Instances, instanceStates } from "./instances.ts";
import type { Tags } from "./tag-reader.ts";

/** The API's own largest page, in instances. */
const pageSize = 1000;
/** A filter takes at most 200 values. */
const valuesPerFilter = 200;
const knownStates: ReadonlySet<string> = new Set(instanceStates);

/** Every instance that the filters leave: every page, or an error, since a part of the list is never the whole (cases.md 67). */
export async function describeInstances(reads: EC2Client, filters: Filter[]): Promise<Instance[]> {
  const found: Instance[] = [];
  let next: string | undefined;
  do {
    const input: DescribeInstancesCommandInput = { Filters: filters, MaxResults: pageSize };
    const page = await reads.send(
      new DescribeInstancesCommand(next === undefined ? input : { ...input, NextToken: next }),
    );
    for (const reservation of page.Reservations ?? []) found.push(...(reservation.Instances ?? []).map(toInstance));
    next = page.NextToken;
  } while (next !== undefined && next !== "");
  return found;
}

/** Instances by id, for functions that end none. */
export function shownInstances(reads: EC2Client): Pick<Instances, "shown"> {
  return {
    async shown(ids) {
      const found: Instance[] = [];
      for (let start = 0; start < ids.length; start += valuesPerFilter) {
        // By filter, not by id: one id that EC2 has forgotten would fail the whole call.
        const some = ids.slice(start, start + valuesPerFilter);
        found.push(...(await describeInstances(reads, [{ Name: "instance-id", Values: some }])));
      }
      return found;
    },
  };
}

function toInstance(instance: Ec2Instance): Instance {
  const state = instance.State?.Name ?? "";
  if (instance.InstanceId === undefined) throw new Error("EC2 described an instance without its id.");
  return {
    id: instance.InstanceId,
    state: knownStates.has(state) ? (state as InstanceState) : "unknown",
    tags: tagsOf(instance.Tags),
    architecture: instance.Architecture ?? "",
    launchedAt: instance.LaunchTime?.getTime(),
  };
}

const tagsOf = (tags: Ec2Instance["Tags"]): Tags =>
  Object.fromEntries((tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));
