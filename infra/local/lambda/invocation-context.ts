import type { Context } from "aws-lambda";
import type { LocalFunction } from "../template.ts";

/** The context object of one invocation, with the time that is left until the function's own timeout. */
export function invocationContext(
  definition: LocalFunction,
  invocation: { region: string; account: string; requestId: string; stream: string; deadline: number },
): Omit<Context, "done" | "fail" | "succeed"> {
  const { region, account, requestId, stream, deadline } = invocation;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: definition.name,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:${region}:${account}:function:${definition.name}`,
    memoryLimitInMB: String(definition.memoryMegabytes),
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${definition.name}`,
    logStreamName: stream,
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(deadline - performance.now())),
  };
}
