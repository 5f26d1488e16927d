import type { Resources } from "../../infra/local/cloudformation/resources.ts";
import { actionsOf, roleOf, statementsOf } from "../build/policies.ts";

/**
 * What Lambda, EC2 or the queue's consumer asks for on a function's behalf, so that no call of the function shows it: its log, the report of a
 * failed run, the messages it is fed with, the tags and the role that a launch brings along.
 */
const onBehalf =
  /^(logs:|sqs:(SendMessage|ReceiveMessage|DeleteMessage|GetQueueAttributes)$|ec2:CreateTags$|iam:PassRole$)/;

/** Where the calls that functions made and the policies of their roles differ, one sentence each. */
export function disagreements(calls: ReadonlyMap<string, ReadonlySet<string>>, resources: Resources): string[] {
  const functions = resources.all.filter(({ type }) => type === "AWS::Serverless::Function").map(({ id }) => id);
  return functions.flatMap((id) => {
    const allowed = new Set(statementsOf(roleOf(id, resources), resources).flatMap(actionsOf));
    const made = calls.get(id) ?? new Set<string>();
    return [
      ...[...made]
        .filter((action) => !allowed.has(action))
        .map((action) => `${id} calls ${action}, which its role does not allow.`),
      ...[...allowed]
        .filter((action) => !onBehalf.test(action) && !made.has(action))
        .map((action) => `${id} is allowed ${action}, and no test has seen it call that.`),
    ];
  });
}
