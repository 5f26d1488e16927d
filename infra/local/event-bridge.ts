import { randomUUID } from "node:crypto";
import type { CloudEvent } from "./aws/cloud-events.ts";
import type { Section } from "./cloudformation/scope.ts";

/** What EC2 sends to EventBridge of what happened; undefined for everything else. */
export function ec2Event(
  event: CloudEvent,
  { region, account }: { region: string; account: string },
): Section | undefined {
  const about = (type: string, instance: string, detail: Section) => ({
    version: "0",
    id: randomUUID(),
    "detail-type": type,
    source: "aws.ec2",
    account,
    time: `${new Date(event.at).toISOString().slice(0, 19)}Z`,
    region,
    resources: [`arn:aws:ec2:${region}:${account}:instance/${instance}`],
    detail: { "instance-id": instance, ...detail },
  });
  switch (event.type) {
    case "spot-interruption":
      return about("EC2 Spot Instance Interruption Warning", event.instanceId, { "instance-action": "terminate" });
    case "rebalance-recommendation":
      return about("EC2 Instance Rebalance Recommendation", event.instanceId, {});
    case "instance-state":
      return about("EC2 Instance State-change Notification", event.instanceId, { state: event.to });
    default:
      return undefined;
  }
}

/** EventBridge's exact matching: each field of the pattern lists the values that it may have. */
export function matches(pattern: Section, event: Section): boolean {
  return Object.entries(pattern).every(([name, wanted]) => {
    const value = event[name];
    if (Array.isArray(wanted)) return wanted.includes(value);
    return typeof value === "object" && value !== null && matches(wanted as Section, value as Section);
  });
}
