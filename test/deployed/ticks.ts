import { physicalId } from "./stack.ts";
import type { DeployedWorld } from "./world.ts";

interface Schedule {
  readonly State: string;
  readonly ScheduleExpression: string;
  readonly Target: { readonly Arn: string; readonly Input: string };
}

/** The schedule of a logical id, as the scheduler has it. */
export const scheduleOf = ({ aws, stack }: DeployedWorld, logicalId: string) =>
  aws.rest<Schedule>("scheduler", "GET", `/schedules/${physicalId(stack, logicalId)}`);

/** What the scheduler does every minute for the cadence `ticks`, once, with the schedule's own input: MiniStack's has no universal targets. */
export async function sendTicks(world: DeployedWorld): Promise<void> {
  const { Target } = await scheduleOf(world, "HelmrTickSchedule");
  if (!Target.Arn.endsWith(":::aws-sdk:sqs:sendMessageBatch")) throw new Error(`${Target.Arn} sends no ticks.`);
  const batch = JSON.parse(Target.Input) as object;
  const { Successful } = await world.aws.json<{ Successful: unknown[] }>("sqs", "AmazonSQS.SendMessageBatch", batch);
  if (Successful.length !== 4) throw new Error("The queue did not take four ticks.");
}
