import {
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  type EC2Client,
  type Instance as Ec2Instance,
  type Filter,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { errorCode } from "./error-codes.ts";
import { exactly } from "./filter-values.ts";
import { type Ending, type Instance, type InstanceState, type Instances, instanceStates } from "./instances.ts";
import type { Tags } from "./tag-reader.ts";

/** The API's own largest page, in instances. */
const pageSize = 1000;
/** A filter takes at most 200 values. */
const valuesPerFilter = 200;
/** Single calls beside each other; a hundred at once would only be throttled. */
const singlesAtOnce = 10;
const livingStates = ["pending", "running", "stopping", "stopped"];
const knownStates: ReadonlySet<string> = new Set(instanceStates);

export interface Ec2Clients {
  /** For reads: may repeat a call by itself. */
  readonly reads: EC2Client;
  /** For mutations: sends each call exactly once. */
  readonly mutations: EC2Client;
}

/** Instances through the AWS SDK; `stack` is the value of `drover:stack` that makes an instance ours; nothing else is ever seen or ended. */
export function ec2Instances({ reads, mutations }: Ec2Clients, stack: string): Instances {
  async function describe(filters: Filter[]): Promise<Instance[]> {
    const found: Instance[] = [];
    let next: string | undefined;
    // Every page, or an error: a part of the list is never taken for the whole (cases.md 67).
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

  async function endSome(ids: readonly string[]): Promise<Ending[]> {
    try {
      const { TerminatingInstances: answers = [] } = await mutations.send(
        new TerminateInstancesCommand({ InstanceIds: [...ids] }),
      );
      return ids.map((id) => {
        const state = answers.find(({ InstanceId }) => InstanceId === id)?.CurrentState?.Name;
        const isOver = state === "shutting-down" || state === "terminated";
        return isOver ? { id, outcome: "ended" } : { id, outcome: "failed", code: `State:${state ?? "untold"}` };
      });
    } catch (error) {
      const code = errorCode(error);
      const [id, ...more] = ids;
      if (id === undefined) return [];
      // One protected or unknown instance fails the whole call.
      if (more.length > 0) return endOneByOne(ids);
      return [code === "InvalidInstanceID.NotFound" ? { id, outcome: "not-found" } : { id, outcome: "failed", code }];
    }
  }
  async function endOneByOne(ids: readonly string[]): Promise<Ending[]> {
    const endings: Ending[] = [];
    for (let start = 0; start < ids.length; start += singlesAtOnce) {
      const some = await Promise.all(ids.slice(start, start + singlesAtOnce).map((id) => endSome([id])));
      endings.push(...some.flat());
    }
    return endings;
  }

  return {
    living(tags, keys = []) {
      const exact = Object.entries({ ...tags, "drover:stack": stack });
      const filters = [
        ...exact.map(([key, value]) => ({ Name: `tag:${key}`, Values: [exactly(value)] })),
        ...keys.map((key) => ({ Name: "tag-key", Values: [key] })),
        { Name: "instance-state-name", Values: livingStates },
      ];
      const has = (instance: Instance) =>
        exact.every(([key, value]) => instance.tags[key] === value) &&
        keys.every((key) => instance.tags[key] !== undefined);
      return describe(filters).then((found) => found.filter(has));
    },
    async shown(ids) {
      const found: Instance[] = [];
      for (let start = 0; start < ids.length; start += valuesPerFilter) {
        // By filter, not by id: one id that EC2 has forgotten would fail the whole call.
        found.push(...(await describe([{ Name: "instance-id", Values: ids.slice(start, start + valuesPerFilter) }])));
      }
      return found;
    },
    end: (ids) => endSome(ids),
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
