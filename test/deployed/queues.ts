import { physicalId } from "./stack.ts";
import type { DeployedWorld } from "./world.ts";

/** The bodies of messages in one of the stack's queues, read as JSON; they stay there. */
export async function messagesIn<T>({ aws, stack }: DeployedWorld, queue: string): Promise<T[]> {
  const { Messages = [] } = await aws.json<{ Messages?: { Body: string }[] }>("sqs", "AmazonSQS.ReceiveMessage", {
    QueueUrl: physicalId(stack, queue),
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 0,
  });
  return Messages.map(({ Body }) => JSON.parse(Body) as T);
}

/** How many messages a queue holds, those in a function's hands among them. */
export async function depthOf({ aws, stack }: DeployedWorld, queue: string): Promise<number> {
  const { Attributes } = await aws.json<{ Attributes: Record<string, string> }>("sqs", "AmazonSQS.GetQueueAttributes", {
    QueueUrl: physicalId(stack, queue),
    AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
  });
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}
