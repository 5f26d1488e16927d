import { CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { GetRoleCommand, IAMClient } from "@aws-sdk/client-iam";
import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { clientTimeouts } from "../../../lib/edge/client-timeouts.ts";
import type { Account } from "../account.ts";
import type { Deployed } from "../facts.ts";
import { known } from "../known.ts";

/** `where` is empty for AWS itself, with the SDK's usual region and credentials. */
type Where = Pick<ConstructorParameters<typeof IAMClient>[0] & object, "endpoint" | "region" | "credentials">;

/** A real account, seen with the caller's own credentials. It only reads. */
export function awsAccount(where: Where = {}): Account {
  const settings = { ...clientTimeouts(5_000, 3), ...where };
  const formation = new CloudFormationClient(settings);
  return {
    async stack(name) {
      try {
        const { Stacks: [stack] = [] } = await formation.send(new DescribeStacksCommand({ StackName: name }));
        return stack === undefined ? undefined : deployed(name, stack);
      } catch (error) {
        // CloudFormation has no error of its own for this (API reference, DescribeStacks).
        if (error instanceof Error && error.message.includes("does not exist")) return undefined;
        throw error;
      }
    },
    region: () => formation.config.region(),
    trustPolicy: (arn) =>
      known(async () => {
        const name = arn.slice(arn.lastIndexOf("/") + 1);
        const { Role } = await new IAMClient(settings).send(new GetRoleCommand({ RoleName: name }));
        // IAM hands policies out URL-encoded (API reference, Role).
        return JSON.parse(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? "")) as unknown;
      }),
    concurrency: () =>
      known(async () => {
        const { AccountLimit } = await new LambdaClient(settings).send(new GetAccountSettingsCommand({}));
        const left = AccountLimit?.UnreservedConcurrentExecutions;
        if (left === undefined) throw new Error("Lambda told no limit.");
        return left;
      }),
  };
}

function deployed(name: string, { StackStatus: status, Parameters = [], Outputs = [] }: Stack): Deployed {
  return {
    name,
    status: status ?? "",
    parameters: Object.fromEntries(Parameters.map((each) => [each.ParameterKey ?? "", each.ParameterValue ?? ""])),
    outputs: Object.fromEntries(Outputs.map((each) => [each.OutputKey ?? "", each.OutputValue ?? ""])),
  };
}
