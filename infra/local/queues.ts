import { randomUUID } from "node:crypto";
import type { Cloud } from "./aws/cloud.ts";
import { ec2Event, matches } from "./event-bridge.ts";
import type { LocalFunctions } from "./lambda/functions.ts";
import type { Invocation } from "./lambda/invocation.ts";
import type { LocalQueue, LocalQueueing, LocalSource } from "./template-queues.ts";

/** The stack's queues: rules and schedules send to them, functions are fed from them. */
export type Queues = {
  /** Puts a message into a queue, by its logical id. */
  send(queueId: string, body: string, delaySeconds?: number): void;
  /** Feeds the functions with what can be had by the clock, until nothing is left that can. */
  deliver(): Promise<Invocation[]>;
  /** Sends what the schedules send, now. */
  fireSchedules(): void;
  /** The bodies of what is in a queue, hidden messages included. */
  bodies(queueId: string): string[];
  stop(): void;
};

type Message = { id: string; body: string; sentAt: number; visibleAt: number; receives: number };

export function localQueues(
  { queues, sources, rules, messages }: LocalQueueing,
  functions: LocalFunctions,
  cloud: Cloud,
  clock: { now(): number },
  place: { region: string; account: string },
): Queues {
  const contents = new Map<string, Message[]>(queues.map(({ arn }) => [arn, []]));
  const found = (holds: (queue: LocalQueue) => boolean, what: string): LocalQueue => {
    const queue = queues.find(holds);
    if (queue === undefined) throw new Error(`The template has no queue ${what}.`);
    return queue;
  };
  const put = (arn: string, body: string, delaySeconds = 0) => {
    const now = clock.now();
    const visibleAt = now + delaySeconds * 1000;
    contents.get(arn)?.push({ id: randomUUID(), body, sentAt: now, visibleAt, receives: 0 });
  };
  const forget = cloud.on((event) => {
    const sent = ec2Event(event, place);
    if (sent === undefined) return;
    for (const { pattern, queueArns } of rules) {
      if (matches(pattern, sent)) for (const arn of queueArns) put(arn, JSON.stringify(sent));
    }
  });

  /** The next batch of a queue; what was handed out too often goes to the queue for it first. */
  function receive(queue: LocalQueue, most: number): Message[] {
    const now = clock.now();
    const kept = (contents.get(queue.arn) ?? []).filter(({ sentAt }) => now - sentAt < queue.retentionSeconds * 1000);
    const { redrive } = queue;
    const dead = kept.filter(({ receives, visibleAt }) => visibleAt <= now && receives >= (redrive?.after ?? Infinity));
    for (const { body } of dead) put(redrive?.queueArn ?? "", body);
    contents.set(
      queue.arn,
      kept.filter((message) => !dead.includes(message)),
    );
    const batch = kept.filter((message) => message.visibleAt <= now && !dead.includes(message)).slice(0, most);
    for (const message of batch) {
      message.receives += 1;
      message.visibleAt = now + queue.visibilitySeconds * 1000;
    }
    return batch;
  }

  async function feed(source: LocalSource): Promise<Invocation | undefined> {
    const queue = found(({ arn }) => arn === source.queueArn, source.queueArn);
    const batch = receive(queue, source.batchSize);
    if (batch.length === 0) return undefined;
    const event = { Records: batch.map((message) => record(message, queue.arn, place.region)) };
    const run = await functions.invoke(source.functionId, event);
    const failed = failedOf(run, source.partial, batch);
    contents.set(
      queue.arn,
      (contents.get(queue.arn) ?? []).filter((message) => !batch.includes(message) || failed.has(message.id)),
    );
    return run;
  }

  return {
    send: (queueId, body, delaySeconds) => put(found(({ id }) => id === queueId, queueId).arn, body, delaySeconds),
    async deliver() {
      const runs: Invocation[] = [];
      for (const source of sources) {
        for (let run = await feed(source); run !== undefined; run = await feed(source)) runs.push(run);
      }
      return runs;
    },
    fireSchedules() {
      for (const { queueUrl, messages: batch } of messages) {
        const { arn } = found(({ url }) => url === queueUrl, queueUrl);
        for (const { body, delaySeconds } of batch) put(arn, body, delaySeconds);
      }
    },
    bodies: (queueId) => (contents.get(found(({ id }) => id === queueId, queueId).arn) ?? []).map(({ body }) => body),
    stop: forget,
  };
}

/** Which messages stay in the queue (Lambda developer guide, "Implementing partial batch responses"). */
function failedOf({ outcome }: Invocation, partial: boolean, batch: readonly Message[]): Set<string> {
  const all = new Set(batch.map(({ id }) => id));
  if (outcome.kind !== "answered") return all;
  const { batchItemFailures } = (outcome.value ?? {}) as { batchItemFailures?: { itemIdentifier?: string }[] };
  if (!partial || batchItemFailures === undefined || batchItemFailures === null) return new Set();
  const named = batchItemFailures.map(({ itemIdentifier = "" }) => itemIdentifier);
  return named.every((id) => all.has(id)) ? new Set(named) : all;
}

const record = ({ id, body, sentAt, receives }: Message, arn: string, region: string) => ({
  messageId: id,
  receiptHandle: id,
  body,
  attributes: { ApproximateReceiveCount: String(receives), SentTimestamp: String(sentAt) },
  messageAttributes: {},
  eventSource: "aws:sqs",
  eventSourceARN: arn,
  awsRegion: region,
});
