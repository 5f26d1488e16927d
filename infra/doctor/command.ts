import { parseArgs } from "node:util";
import { UsageError } from "../local/send/usage-error.ts";
import type { WorldFile } from "../local/world-file.ts";
import { awsAccount } from "./account/aws-account.ts";
import { localAccount } from "./account/local-account.ts";
import type { Account } from "./account.ts";
import { diagnose } from "./checks.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { gather } from "./gather.ts";
import { known } from "./known.ts";
import { report, reportLines } from "./report.ts";

export const usage = `npm run doctor -- [--stack NAME] [--json]

Looks at a deployment before it hurts, with reads only. Exit code 0: no error found; 1: some; 2: usage.

  --stack NAME   a stack in AWS, with the SDK's usual region and credentials;
                 by default the running local world (npm start)
  --json         one JSON document instead of text
`;

/** What the command takes from outside. */
export interface DoctorParts {
  world(): WorldFile | undefined;
  /** Milliseconds since the epoch, by this machine. */
  now(): number;
  print(line: string): void;
  printError(line: string): void;
}

interface Target {
  readonly account: Account;
  readonly name: string;
  readonly endpoint: string | undefined;
}

export async function doctor(args: readonly string[], parts: DoctorParts): Promise<0 | 1 | 2> {
  try {
    const { stack, json = false, help = false } = parsed(args);
    if (help) {
      parts.print(usage);
      return 0;
    }
    return await examine(target(stack, parts.world()), json, parts);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    parts.printError(`${error.message}\n\n${usage}`);
    return 2;
  }
}

/** Looks, judges and prints. 1 when something is wrong. */
export async function examine(
  { account, name, endpoint }: Target,
  json: boolean,
  parts: Omit<DoctorParts, "world">,
): Promise<0 | 1> {
  const stack = await known(() => account.stack(name));
  if (stack.unread !== undefined || stack.value === undefined) {
    const why = stack.unread ?? "There is no stack of that name in this region.";
    parts.printError(`The stack ${name} could not be looked at. ${why}`);
    return 1;
  }
  const facts = await gather(stack.value, { account, endpoint, now: () => parts.now() });
  const findings: readonly Diagnosis[] = diagnose(facts);
  const found = report(facts, findings);
  for (const line of json ? [JSON.stringify(found, null, 2)] : reportLines(found)) parts.print(line);
  return findings.some(({ severity }) => severity === "error") ? 1 : 0;
}

function target(stack: string | undefined, world: WorldFile | undefined): Target {
  if (stack !== undefined) return { account: awsAccount(), name: stack, endpoint: undefined };
  if (world?.deployed === undefined) {
    throw new UsageError("Give --stack NAME, or start a local world with npm start.");
  }
  return { account: localAccount(world.deployed), name: world.deployed.name, endpoint: world.aws };
}

function parsed(args: readonly string[]) {
  const options = {
    stack: { type: "string" },
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
