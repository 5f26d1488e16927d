import { type EC2Client, type Filter, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { describeInstances, shownInstances } from "./ec2-described-instances.ts";
import { errorCode } from "./error-codes.ts";
import { exactly } from "./filter-values.ts";
import type { Ending, Instance, Instances } from "./instances.ts";

/** Single calls beside each other; a hundred at once would only be throttled. */
const singlesAtOnce = 10;
const livingStates = ["pending", "running", "stopping", "stopped"];

export interface Ec2Clients {
  /** For reads: may repeat a call by itself. */
  readonly reads: EC2Client;
  /** For mutations: sends each call exactly once. */
  readonly mutations: EC2Client;
}

/** Instances through the AWS SDK; `stack` is the value of `drover:stack` that makes an instance ours; nothing else is ever seen or ended. */
export function ec2Instances({ reads, mutations }: Ec2Clients, stack: string): Instances {
  const describe = (filters: Filter[]) => describeInstances(reads, filters);

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
    shown: (ids) => shownInstances(reads).shown(ids),
    end: (ids) => endSome(ids),
  };
}
