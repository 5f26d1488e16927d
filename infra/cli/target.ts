import { awsAccount } from "../doctor/account/aws-account.ts";
import { localAccount } from "../doctor/account/local-account.ts";
import type { Account } from "../doctor/account.ts";
import type { Deployed } from "../doctor/facts.ts";
import type { WorldFile } from "../local/world-file.ts";
import { UsageError } from "./usage-error.ts";

/** The stack that a command is about, and where it is. */
export interface Target {
  readonly account: Account;
  readonly name: string;
  /** Of every AWS service; undefined for AWS itself. */
  readonly endpoint: string | undefined;
}

export const targetUsage = `  --stack NAME   a stack in AWS, with the SDK's usual region and credentials;
                 by default the running local world (npm start)
`;

/** The named stack in AWS, or the local world's. Throws UsageError when there is neither. */
export function chosenTarget(stack: string | undefined, world: WorldFile | undefined): Target {
  // An unset variable in a script is no wish for the local world.
  if (stack === "") throw new UsageError("--stack NAME is empty.");
  if (stack !== undefined) return { account: awsAccount(), name: stack, endpoint: undefined };
  if (world?.deployed === undefined) {
    throw new UsageError("Give --stack NAME, or start a local world with npm start.");
  }
  return { account: localAccount(world.deployed), name: world.deployed.name, endpoint: world.aws };
}

/** There is no stack of that name where it was looked for. */
class StackNotFound extends Error {
  override readonly name = "StackNotFound";
}

/** The stack as it is deployed. Throws {@link StackNotFound}, which says where it was looked for. */
export async function deployedAt({ account, name }: Target): Promise<Deployed> {
  const stack = await account.stack(name);
  if (stack !== undefined) return stack;
  throw new StackNotFound(
    `There is no stack ${name} in ${await account.region()}. Set AWS_REGION, and AWS_PROFILE for its account, to where it is deployed.`,
  );
}

/** One output of the stack. Throws an Error when the stack has none of that name. */
export function outputOf({ name, outputs }: Deployed, output: string): string {
  const value = outputs[output] ?? "";
  if (value !== "") return value;
  throw new Error(`The stack ${name} has no output ${output}: it is not Drover's, or that part of it is off.`);
}
