import type { AwsCalls } from "./aws-call.ts";
import { ofType, physicalId, type Stack } from "./stack.ts";

/** Logical ids of the functions that a schedule starts. */
export function scheduledFunctions(stack: Stack): string[] {
  const schedules = ofType(stack, "AWS::Scheduler::Schedule").map((id) => {
    const target = stack.template.Resources[id]?.Properties["Target"]?.Arn?.["Fn::GetAtt"]?.[0];
    if (typeof target !== "string") throw new Error(`The schedule ${id} starts no function of the stack.`);
    return target;
  });
  return [...new Set(schedules)].sort();
}

/** What a function printed, with Lambda's own START, END and REPORT lines, oldest first. */
export async function logOf(aws: AwsCalls, stack: Stack, functionId: string): Promise<string[]> {
  const group = stack.template.Resources[functionId]?.Properties["LoggingConfig"]?.LogGroup?.Ref;
  if (typeof group !== "string") throw new Error(`The function ${functionId} names no log group of the stack.`);
  return linesOf(aws, physicalId(stack, group));
}

/** Every line of every log group of the stack. */
export async function allLogs(aws: AwsCalls, stack: Stack): Promise<string[]> {
  const groups = ofType(stack, "AWS::Logs::LogGroup").map((id) => physicalId(stack, id));
  return (await Promise.all(groups.map((group) => linesOf(aws, group)))).flat();
}

/** Puts an invocation into Lambda's asynchronous queue. */
export const invokeLater = (aws: AwsCalls, name: string) =>
  aws.rest("lambda", "POST", `/2015-03-31/functions/${name}/invocations`, {}, { "x-amz-invocation-type": "Event" });

/** Every line of a log group. */
async function linesOf(aws: AwsCalls, logGroupName: string): Promise<string[]> {
  const lines: { timestamp: number; message: string }[] = [];
  let nextToken: string | undefined;
  do {
    const page: { events: typeof lines; nextToken?: string } = await aws.json("logs", "Logs_20140328.FilterLogEvents", {
      logGroupName,
      nextToken,
    });
    lines.push(...page.events);
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return lines.sort((a, b) => a.timestamp - b.timestamp).map(({ message }) => message);
}

/** How often a function ran to its end. */
export const runsIn = (log: readonly string[]): number => log.filter((line) => line.startsWith("REPORT ")).length;
