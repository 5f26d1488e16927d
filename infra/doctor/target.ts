import { UsageError } from "../local/send/usage-error.ts";
import type { WorldFile } from "../local/world-file.ts";
import { awsAccount } from "./account/aws-account.ts";
import { localAccount } from "./account/local-account.ts";
import type { Account } from "./account.ts";

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
  if (stack !== undefined) return { account: awsAccount(), name: stack, endpoint: undefined };
  if (world?.deployed === undefined) {
    throw new UsageError("Give --stack NAME, or start a local world with npm start.");
  }
  return { account: localAccount(world.deployed), name: world.deployed.name, endpoint: world.aws };
}
