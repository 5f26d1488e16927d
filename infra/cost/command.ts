import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { root } from "../build/entry-points.ts";
import { done, type Outcome } from "../cli/outcome.ts";
import { type Command, parsed } from "../cli/run-command.ts";
import { type Measured, measure } from "./measure.ts";
import { rows } from "./scenarios.ts";
import { tableOf, withTable } from "./table.ts";

const usage = `npm run cost -- [--write] [--json]

What a stack costs a month: from calls, durations and memory measured in the local world, what template.yaml has standing, and the
prices in infra/cost/prices.ts. It needs no AWS account.

  --write        the table goes into README.md too
  --json         one JSON document instead of text
`;

export const cost: Command = { name: "cost", usage, perform };

async function perform(args: readonly string[]): Promise<Outcome> {
  const options = { write: { type: "boolean" }, json: { type: "boolean" } } as const;
  const { write = false } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: false }).values);
  const measured = [await measure(), await measure(), await measure()].reduce(quicker);
  const usd = rows(measured);
  const table = tableOf(usd, measured);
  if (write) writeFileSync(`${root}README.md`, withTable(readFileSync(`${root}README.md`, "utf8"), table));
  return done([table], { usdAMonth: usd, measured });
}

/** A machine that does other things too is slower, never faster: the quickest of three. */
const quicker = (one: Measured, other: Measured): Measured => {
  const of = (run: keyof Measured) => (one[run].ms < other[run].ms ? one[run] : other[run]);
  return { zoomiesRun: of("zoomiesRun"), kiciRun: of("kiciRun"), helmrCycle: of("helmrCycle"), event: of("event") };
};
