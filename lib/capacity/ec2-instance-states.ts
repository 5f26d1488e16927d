import { DescribeInstancesCommand, type EC2Client } from "@aws-sdk/client-ec2";
import { type InstanceState, type InstanceStates, instanceStates } from "./instance-states.ts";

/** A filter takes so many values (EC2 API reference, "Filter"). */
const idsAtOnce = 200;
const known: ReadonlySet<string> = new Set(instanceStates);

/** States through DescribeInstances, with a filter: asking by id fails as a whole when one id is unknown. */
export function ec2InstanceStates(reads: EC2Client): InstanceStates {
  return {
    async of(instances) {
      const states = new Map<string, InstanceState>();
      for (let start = 0; start < instances.length; start += idsAtOnce) {
        const Filters = [{ Name: "instance-id", Values: instances.slice(start, start + idsAtOnce) }];
        let next: string | undefined;
        do {
          const page = await reads.send(
            new DescribeInstancesCommand({ Filters, ...(next === undefined ? {} : { NextToken: next }) }),
          );
          for (const { InstanceId, State } of (page.Reservations ?? []).flatMap(({ Instances }) => Instances ?? [])) {
            const state = State?.Name ?? "";
            if (InstanceId !== undefined)
              states.set(InstanceId, known.has(state) ? (state as InstanceState) : "unknown");
          }
          next = page.NextToken;
        } while (next !== undefined && next !== "");
      }
      return states;
    },
  };
}
