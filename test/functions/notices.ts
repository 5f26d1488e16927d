import { expect } from "vitest";
import type { Invocation } from "../../infra/local/lambda/invocation.ts";
import type { TestWorld } from "../world.ts";

/** The parameter that the function needs. */
export const on = { HandleInterruptions: "on" };

/** Feeds the function with what waits; every message of it is done with. */
export async function answered(world: TestWorld): Promise<Invocation[]> {
  const runs = await world.queues.deliver();
  for (const { outcome } of runs) expect(outcome).toMatchObject({ kind: "answered", value: { batchItemFailures: [] } });
  return runs;
}

type Kind = "EC2 Spot Instance Interruption Warning" | "EC2 Instance Rebalance Recommendation";

/** A warning as EventBridge sends it. */
export const warning = (type: Kind, instance: string, at: number): string =>
  JSON.stringify({
    source: "aws.ec2",
    "detail-type": type,
    time: new Date(at).toISOString(),
    detail: { "instance-id": instance },
  });

/** A change of an instance's state as EventBridge sends it. */
export const change = (state: string, instance: string, at: number): string =>
  JSON.stringify({
    source: "aws.ec2",
    "detail-type": "EC2 Instance State-change Notification",
    time: new Date(at).toISOString(),
    detail: { "instance-id": instance, state },
  });

export const spot = "EC2 Spot Instance Interruption Warning";
export const rebalance = "EC2 Instance Rebalance Recommendation";

/** Everything that was printed as metrics, as name and outcome. */
export const counted = ({ lines }: Pick<TestWorld, "lines">): string[] =>
  lines.flatMap((line) => {
    if (!line.includes('"_aws"')) return [];
    const { _aws, Outcome, Code } = JSON.parse(line);
    return [[_aws.CloudWatchMetrics[0].Metrics[0].Name, Outcome ?? Code].filter(Boolean).join(" ")];
  });

/** Ids of a group's instances. */
export const membersOf = (world: TestWorld, group: string): string[] =>
  (world.cloud.group(group)?.Instances ?? []).map(({ InstanceId = "" }) => InstanceId);
