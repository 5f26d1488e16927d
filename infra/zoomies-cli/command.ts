import { parseArgs } from "node:util";
import { planGroups } from "../../lib/zoomies/plan.ts";
import { openTable } from "../cli/ledger.ts";
import { done, failed, type Outcome } from "../cli/outcome.ts";
import { type Command, type CommandParts, parsed } from "../cli/run-command.ts";
import { chosenTarget, deployedAt, outputOf, targetUsage } from "../cli/target.ts";
import { UsageError } from "../cli/usage-error.ts";
import { planParts } from "./parts.ts";
import { planLines, planView } from "./plan-lines.ts";

const usage = `npm run zoomies -- plan [--stack NAME] [--json]

A dry run of the minute run with your own credentials: what it would do about each group, and why not more. It changes
nothing. Exit code 1 when Zoomies could not be asked.

${targetUsage}  --json         one JSON document instead of text
`;

export const zoomies: Command = { name: "zoomies", usage, perform };

async function perform(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const options = { stack: { type: "string" }, json: { type: "boolean" } } as const;
  const { values, positionals } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: true }));
  if (positionals.join(" ") !== "plan") throw new UsageError("There is one command: plan.");
  const target = chosenTarget(values.stack, parts.world());
  const stack = await deployedAt(target);
  if (stack.parameters["Zoomies"] === "off") throw new Error(`Zoomies is off in the stack ${stack.name}.`);
  const ledger = openTable(outputOf(stack, "TableName"), target.endpoint);
  try {
    const { demand, life } = planParts(stack, ledger, target.endpoint);
    const plan = await planGroups(demand, life);
    const isSeen = life === undefined || plan.unseen === undefined;
    return (isSeen ? done : failed)(planLines(plan), planView(plan));
  } finally {
    ledger.close();
  }
}
