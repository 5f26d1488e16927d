import type { Instance } from "@aws-sdk/client-ec2";
import { expect } from "vitest";
import { logOf } from "../functions.ts";
import { ledgerItems } from "../ledger.ts";
import { type Ec2Event, matching, putEvent, rulesOf, twinRules } from "../notices.ts";
import { depthOf } from "../queues.ts";
import { until } from "../until.ts";
import type { DeployedWorld } from "../world.ts";
import { workerHosts } from "./helmr.ts";
import { instancesOf, scaleUp, sendKici } from "./kici.ts";
import { joinSpotHost } from "./zoomies.ts";

const about = (type: string, instance: string, detail: Record<string, string> = {}): Ec2Event => ({
  "detail-type": type,
  detail: { "instance-id": instance, ...detail },
});
const warning = (instance: string) =>
  about("EC2 Spot Instance Interruption Warning", instance, { "instance-action": "terminate" });
const recommendation = (instance: string) => about("EC2 Instance Rebalance Recommendation", instance);
const changed = (instance: string, state: string) =>
  about("EC2 Instance State-change Notification", instance, { state });

const withinMs = 30_000;

/**
 * EC2's notices through the stack's rules, their queue and its event source: a Zoomies host is cordoned, a Helmr host drained, a
 * KiCI record closed, each at once and by its own kind of notice; an instance that is nobody's costs one read.
 */
export async function interruptions(world: DeployedWorld): Promise<void> {
  const { simulator } = world;
  const host = await joinSpotHost(world);
  const worker = workerHosts(world).find(({ status }) => status === "active");
  const payload = scaleUp(world);
  await sendKici(world, "KiciScaleUpUrl", payload);
  const [agent] = instancesOf(world, payload);
  const nobodys = launchByHand(world);
  const [helmrs = "", kicis = ""] = [worker?.resourceId, agent?.InstanceId];

  const rules = await rulesOf(world);
  expect(await matching(world, rules, changed(kicis, "running")), "an instance that starts is no notice").toEqual([]);
  for (const state of ["stopping", "shutting-down", "terminated"]) {
    expect(await matching(world, rules, changed(kicis, state)), state).toHaveLength(1);
  }
  for (const event of [warning(host.name), recommendation(helmrs)]) {
    expect(await matching(world, rules, event), event["detail-type"]).toHaveLength(1);
  }

  const before = simulator.faults.calls.length;
  const withdraw = await twinRules(world, rules);
  await putEvent(world, warning(host.name));
  await putEvent(world, recommendation(helmrs));
  await putEvent(world, changed(kicis, "shutting-down"));
  await putEvent(world, changed(nobodys, "stopping"));
  await until("the Zoomies host is cordoned", withinMs, async () => host.cordoned);
  await until("the Helmr host is drained", withinMs, async () => worker?.status === "draining");
  await until("the agent's record is closed", withinMs, async () => {
    const item = (await ledgerItems(world)).find(({ sk }) => sk === `agent#${payload.agentId}`);
    return item !== undefined && (JSON.parse(item.body) as { phase?: string }).phase === "ended";
  });
  await withdraw();

  await until("all notices are answered", withinMs, async () => (await depthOf(world, "Interruptions")) === 0);
  const log = await logOf(world.aws, world.stack, "Interruption");
  const told = log.filter((line) => line.includes('"message":"notice"')).join("\n");
  for (const instance of [host.name, helmrs, kicis]) expect(told).toContain(instance);
  expect(told).not.toContain(nobodys);
  const reads = simulator.faults.calls.slice(before).filter(({ input }) => JSON.stringify(input).includes(nobodys));
  expect(reads.map(({ operation }) => operation)).toEqual(["DescribeInstances"]);
}

/** An instance of somebody else in the same account. */
function launchByHand({ simulator }: DeployedWorld): string {
  const { cloud } = simulator;
  const [ImageId] = cloud.world.images.keys();
  const { Instances: [instance] = [] } = cloud.call("ec2", "RunInstances", {
    ImageId,
    InstanceType: "m7i.large",
    MinCount: 1,
    MaxCount: 1,
    SubnetId: "subnet-00000000000000001",
  }) as { Instances?: Instance[] };
  return instance?.InstanceId ?? "";
}
