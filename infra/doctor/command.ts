import { parseArgs } from "node:util";
import { done, failed, type Outcome } from "../cli/outcome.ts";
import { type Command, type CommandParts, parsed } from "../cli/run-command.ts";
import { UsageError } from "../local/send/usage-error.ts";
import type { WorldFile } from "../local/world-file.ts";
import { awsAccount } from "./account/aws-account.ts";
import { localAccount } from "./account/local-account.ts";
import type { Account } from "./account.ts";
import { diagnose } from "./checks.ts";
import { gather } from "./gather.ts";
import { known } from "./known.ts";
import { report, reportLines } from "./report.ts";

const usage = `npm run doctor -- [--stack NAME] [--json]

Looks at a deployment before it hurts, with reads only. Exit code 0: no error found, warnings at most; 1: some error, or
the stack could not be looked at; 2: usage.

  --stack NAME   a stack in AWS, with the SDK's usual region and credentials;
                 by default the running local world (npm start)
  --json         one JSON document instead of text
`;

interface Target {
  readonly account: Account;
  readonly name: string;
  /** Of every AWS service; undefined for AWS itself. */
  readonly endpoint: string | undefined;
}

export const doctor: Command = {
  name: "doctor",
  usage,
  perform(args: readonly string[], parts: CommandParts): Promise<Outcome> {
    const options = { stack: { type: "string" }, json: { type: "boolean" } } as const;
    const { stack } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: false }).values);
    return examine(target(stack, parts.world()), Date.now);
  },
};

/** Looks and judges; not ok when something is wrong. `now` is this machine's clock, milliseconds since the epoch. */
export async function examine({ account, name, endpoint }: Target, now: () => number): Promise<Outcome> {
  const stack = await known(() => account.stack(name));
  if (stack.unread !== undefined || stack.value === undefined) {
    const why = stack.unread ?? "There is no stack of that name in this region.";
    return failed([`The stack ${name} could not be looked at. ${why}`], { error: "no_stack", stack: name, why });
  }
  const facts = await gather(stack.value, { account, endpoint, now });
  const found = report(facts, diagnose(facts));
  const outcome = found.findings.some(({ severity }) => severity === "error") ? failed : done;
  return outcome(reportLines(found), found);
}

function target(stack: string | undefined, world: WorldFile | undefined): Target {
  if (stack !== undefined) return { account: awsAccount(), name: stack, endpoint: undefined };
  if (world?.deployed === undefined) {
    throw new UsageError("Give --stack NAME, or start a local world with npm start.");
  }
  return { account: localAccount(world.deployed), name: world.deployed.name, endpoint: world.aws };
}
