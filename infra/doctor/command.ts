import { parseArgs } from "node:util";
import { done, failed, type Outcome } from "../cli/outcome.ts";
import { type Command, type CommandParts, parsed } from "../cli/run-command.ts";
import { chosenTarget, deployedAt, type Target, targetUsage } from "../cli/target.ts";
import { diagnose } from "./checks.ts";
import { gather } from "./gather.ts";
import { report, reportLines } from "./report.ts";

const usage = `npm run doctor -- [--stack NAME] [--json]

Looks at a deployment before it hurts, with reads only. Exit code 0: no error found, warnings at most; 1: some error, or
the stack could not be looked at; 2: usage.

${targetUsage}  --json         one JSON document instead of text
`;

export const doctor: Command = {
  name: "doctor",
  usage,
  perform(args: readonly string[], parts: CommandParts): Promise<Outcome> {
    const options = { stack: { type: "string" }, json: { type: "boolean" } } as const;
    const { stack } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: false }).values);
    return examine(chosenTarget(stack, parts.world()), Date.now);
  },
};

/** Looks and judges; not ok when something is wrong. Throws when there is no stack to look at. `now` is this machine's clock, milliseconds since the epoch. */
export async function examine(target: Target, now: () => number): Promise<Outcome> {
  const { account, endpoint } = target;
  const facts = await gather(await deployedAt(target), { account, endpoint, now });
  const found = report(facts, diagnose(facts));
  const outcome = found.findings.some(({ severity }) => severity === "error") ? failed : done;
  return outcome(reportLines(found), found);
}
