import { ofType, physicalId } from "./stack.ts";
import type { DeployedWorld } from "./world.ts";

/** What EC2 tells EventBridge of an instance. */
export interface Ec2Event {
  readonly "detail-type": string;
  readonly detail: { readonly "instance-id": string } & Readonly<Record<string, string>>;
}

interface Rule {
  readonly name: string;
  readonly pattern: Readonly<Record<string, unknown>>;
  readonly targets: readonly { readonly Id: string; readonly Arn: string }[];
}

/** Stands for `aws.ec2`, which neither EventBridge nor MiniStack takes from anybody but EC2; nobody plays EC2 here. */
const source = "deployed-test.ec2";

/** The stack's rules as EventBridge has them. */
export async function rulesOf({ aws, stack }: DeployedWorld): Promise<Rule[]> {
  const names = ofType(stack, "AWS::Events::Rule").map((id) => physicalId(stack, id));
  return Promise.all(
    names.map(async (name) => {
      const { EventPattern } = await aws.json<{ EventPattern: string }>("events", "AWSEvents.DescribeRule", {
        Name: name,
      });
      const { Targets } = await aws.json<{ Targets: Rule["targets"] }>("events", "AWSEvents.ListTargetsByRule", {
        Rule: name,
      });
      return { name, pattern: JSON.parse(EventPattern) as Rule["pattern"], targets: Targets };
    }),
  );
}

/** How many of the stack's rules EventBridge finds to match, were the event EC2's own. */
export async function matching({ aws }: DeployedWorld, rules: readonly Rule[], event: Ec2Event): Promise<string[]> {
  const whole = {
    id: "1",
    account: "123456789012",
    source: "aws.ec2",
    time: new Date().toISOString(),
    region: "eu-west-1",
    resources: [],
    ...event,
  };
  const found = await Promise.all(
    rules.map(async ({ name, pattern }) => {
      const { Result } = await aws.json<{ Result: boolean }>("events", "AWSEvents.TestEventPattern", {
        EventPattern: JSON.stringify(pattern),
        Event: JSON.stringify(whole),
      });
      return Result ? [name] : [];
    }),
  );
  return found.flat();
}

/**
 * Beside each rule of the stack one with the same pattern, but for the source, and the same targets, whose transformer gives the source back. What the
 * rules themselves would do is done from the event bus on, but for the queue's policy, which names them (test/build/queues.test.ts).
 *
 * @returns takes the rules away again
 */
export async function twinRules({ aws }: DeployedWorld, rules: readonly Rule[]): Promise<() => Promise<void>> {
  const twins = rules.map((rule) => ({ ...rule, name: `${rule.name.slice(0, 59)}-twin` }));
  const InputTransformer = {
    InputPathsMap: { type: "$.detail-type", time: "$.time", detail: "$.detail" },
    InputTemplate: '{"source": "aws.ec2", "detail-type": <type>, "time": <time>, "detail": <detail>}',
  };
  for (const { name, pattern, targets } of twins) {
    const EventPattern = JSON.stringify({ ...pattern, source: [source] });
    await aws.json("events", "AWSEvents.PutRule", { Name: name, EventPattern });
    const Targets = targets.map((target) => ({ ...target, InputTransformer }));
    await aws.json("events", "AWSEvents.PutTargets", { Rule: name, Targets });
  }
  return async () => {
    for (const { name, targets } of twins) {
      await aws.json("events", "AWSEvents.RemoveTargets", { Rule: name, Ids: targets.map(({ Id }) => Id) });
      await aws.json("events", "AWSEvents.DeleteRule", { Name: name });
    }
  };
}

/** Puts one event on the bus. */
export async function putEvent({ aws }: DeployedWorld, event: Ec2Event): Promise<void> {
  const { FailedEntryCount } = await aws.json<{ FailedEntryCount: number }>("events", "AWSEvents.PutEvents", {
    Entries: [{ Source: source, DetailType: event["detail-type"], Detail: JSON.stringify(event.detail) }],
  });
  if (FailedEntryCount > 0) throw new Error("EventBridge did not take the event.");
}
