import { expect, test } from "vitest";
import { actionsOf, decided, resourcesWith, roleOf, type Statement, statementsOf } from "./policies.ts";

type Reference = {
  readonly Ref?: string;
  readonly "Fn::GetAtt"?: readonly [string, string];
  readonly "Fn::Sub"?: string;
};

interface QueuePolicy {
  readonly Queues: readonly Reference[];
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

// An emulator of AWS looks at none of these policies when one service sends to another (test/deployed).
const resources = resourcesWith({ HelmrCadence: "ticks" });
const ofType = (type: string) => resources.all.filter((resource) => resource.type === type);
const nameOf = (reference: Reference) => reference.Ref ?? reference["Fn::GetAtt"]?.[0] ?? "";

test("every rule sends to a queue whose policy lets this rule, and nobody else, send", () => {
  const rules = ofType("AWS::Events::Rule");
  expect(rules.length).toBeGreaterThan(0);
  const policies = ofType("AWS::SQS::QueuePolicy").map(({ properties }) => properties as unknown as QueuePolicy);
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  const [queue, ...more] = policies.flatMap(({ Queues }) => Queues.map(nameOf));
  expect(more).toEqual([]);
  expect(statements.map(({ Resource }) => nameOf(Resource as Reference))).toEqual([queue]);
  for (const statement of statements) {
    expect(statement).toMatchObject({
      Effect: "Allow",
      Principal: { Service: "events.amazonaws.com" },
      Action: "sqs:SendMessage",
    });
    const { ArnEquals } = statement.Condition as { ArnEquals: { "aws:SourceArn": Reference[] } };
    expect(ArnEquals["aws:SourceArn"].map(nameOf).sort()).toEqual(rules.map(({ id }) => id).sort());
  }
  for (const { id, properties } of rules) {
    expect(
      (properties["Targets"] as { Arn: Reference }[]).map(({ Arn }) => nameOf(Arn)),
      id,
    ).toEqual([queue]);
  }
});

test("a function that a queue feeds may take from it, and a message is not handed out again while it is in hand", () => {
  const sources = ofType("AWS::Lambda::EventSourceMapping");
  expect(sources.length).toBeGreaterThan(0);
  for (const { id, properties } of sources) {
    const fed = nameOf(properties["FunctionName"] as Reference);
    const queueArn = properties["EventSourceArn"] as Reference;
    const takes = statementsOf(roleOf(fed, resources), resources).filter((one) =>
      actionsOf(one).includes("sqs:ReceiveMessage"),
    );
    expect(
      takes.map(({ Resource }) => Resource),
      id,
    ).toEqual([queueArn]);
    expect(takes.flatMap(actionsOf).sort(), id).toEqual([
      "sqs:DeleteMessage",
      "sqs:GetQueueAttributes",
      "sqs:ReceiveMessage",
    ]);
    const queue = resources.all.find((resource) => resource.id === nameOf(queueArn))?.properties;
    const timeout = Number(resources.all.find((resource) => resource.id === fed)?.properties["Timeout"]);
    expect(Number(queue?.["VisibilityTimeout"]), id).toBeGreaterThanOrEqual(timeout);
  }
});

test("the scheduler's role may start each scheduled function and send to each queue that a schedule names, and nothing else", () => {
  const statements = statementsOf("SchedulerRole", resources);
  const allowed = (action: string) =>
    statements
      .filter((one) => actionsOf(one).includes(action))
      .flatMap(({ Resource }) => [Resource].flat() as Reference[])
      .map(nameOf);
  const scheduled = ofType("AWS::Serverless::Function").filter(({ properties }) =>
    Object.values((properties["Events"] ?? {}) as Record<string, { Type: string }>).some(
      ({ Type }) => Type === "ScheduleV2",
    ),
  );
  expect(allowed("lambda:InvokeFunction").sort()).toEqual(scheduled.map(({ id }) => id).sort());
  const queues = ofType("AWS::Scheduler::Schedule").map(({ properties }) => {
    const { Input } = decided(properties["Target"], resources) as { Input: Reference };
    const [, queue] = /"QueueUrl":"\$\{(\w+)\}"/.exec(Input["Fn::Sub"] ?? "") ?? [];
    return queue;
  });
  expect(allowed("sqs:SendMessage")).toEqual(queues);
  expect(statements.flatMap(actionsOf).sort()).toEqual(["lambda:InvokeFunction", "sqs:SendMessage"]);
});
