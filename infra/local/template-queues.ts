import type { Resources } from "./cloudformation/resources.ts";
import { type Section, section } from "./cloudformation/scope.ts";

/** A queue that a function is fed from (AWS::Lambda::EventSourceMapping). */
export type LocalSource = {
  functionId: string;
  queueArn: string;
  batchSize: number;
  /** Whether the function says which messages failed; else a failure is the whole batch's. */
  partial: boolean;
};

export type LocalQueue = {
  id: string;
  arn: string;
  url: string;
  retentionSeconds: number;
  /** How long a message that was handed out stays hidden. */
  visibilitySeconds: number;
  /** Where a message goes that was handed out so often. */
  redrive: { queueArn: string; after: number } | undefined;
};

/** An EventBridge rule that sends to queues. */
export type LocalRule = { pattern: Section; queueArns: readonly string[] };

/** A Scheduler schedule that sends messages itself (universal target sqs:sendMessageBatch). */
export type LocalMessages = {
  expression: string;
  queueUrl: string;
  messages: readonly { body: string; delaySeconds: number }[];
};

export type LocalQueueing = {
  queues: readonly LocalQueue[];
  sources: readonly LocalSource[];
  rules: readonly LocalRule[];
  messages: readonly LocalMessages[];
};

/** What goes through queues in this stack. */
export function queueingOf(resources: Resources): LocalQueueing {
  const { scope, ofType } = resources;
  return {
    queues: ofType("AWS::SQS::Queue").map(({ id, properties }) => {
      const redrive = properties["RedrivePolicy"] as
        | { deadLetterTargetArn: string; maxReceiveCount: number }
        | undefined;
      return {
        id,
        arn: String(scope.attribute(id, "Arn")),
        url: String(scope.ref(id)),
        retentionSeconds: Number(properties["MessageRetentionPeriod"] ?? 345_600),
        visibilitySeconds: Number(properties["VisibilityTimeout"] ?? 30),
        redrive:
          redrive === undefined
            ? undefined
            : { queueArn: redrive.deadLetterTargetArn, after: Number(redrive.maxReceiveCount) },
      };
    }),
    sources: resources.all
      .filter(({ type }) => type === "AWS::Lambda::EventSourceMapping")
      .map(({ id, properties }) => {
        const functionId = section(properties, "FunctionName")["Ref"];
        const [queueId] = (section(properties, "EventSourceArn")["Fn::GetAtt"] ?? []) as string[];
        if (typeof functionId !== "string" || queueId === undefined)
          throw new Error(`${id} names no function or queue.`);
        const types = (properties["FunctionResponseTypes"] ?? []) as string[];
        return {
          functionId,
          queueArn: String(scope.attribute(queueId, "Arn")),
          batchSize: Number(properties["BatchSize"] ?? 10),
          partial: types.includes("ReportBatchItemFailures"),
        };
      }),
    rules: ofType("AWS::Events::Rule").map(({ properties }) => ({
      pattern: section(properties, "EventPattern"),
      queueArns: ((properties["Targets"] ?? []) as { Arn: string }[]).map(({ Arn }) => Arn),
    })),
    messages: ofType("AWS::Scheduler::Schedule").map(({ id, properties }) => {
      const target = section(properties, "Target");
      if (!/:aws-sdk:sqs:sendMessageBatch$/.test(String(target["Arn"]))) {
        throw new Error(`The local world has no schedule with the target of ${id}.`);
      }
      const { QueueUrl, Entries } = JSON.parse(String(target["Input"])) as {
        QueueUrl: string;
        Entries: { MessageBody: string; DelaySeconds?: number }[];
      };
      return {
        expression: String(properties["ScheduleExpression"]),
        queueUrl: QueueUrl,
        messages: Entries.map(({ MessageBody, DelaySeconds = 0 }) => ({
          body: MessageBody,
          delaySeconds: DelaySeconds,
        })),
      };
    }),
  };
}
