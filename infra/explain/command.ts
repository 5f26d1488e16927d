import { parseArgs } from "node:util";
import type { TrailEntry } from "../../lib/ledger/trail.ts";
import { ledgerOptions, ledgerUsage, openLedger } from "../cli/ledger.ts";
import { done, failed, type Outcome } from "../cli/outcome.ts";
import { type Command, type CommandParts, parsed } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { explained, isAbout } from "./explained.ts";
import { explainedLines } from "./lines.ts";
import { sinceOf } from "./since.ts";

const usage = `npm run explain -- --fleet NAME [options]

Why Drover did what it did, and why it did not: demand, decision, reason, action and outcome in their order.

  --fleet NAME      an Auto Scaling group, a Helmr Worker group, or a KiCI scaler
  --since T         so far back (30m, 1h, 7d), or from a time in RFC 3339; by default 1h. The ledger keeps 30 days
  --instance ID     only what concerns this instance
${ledgerUsage}`;

const options = {
  fleet: { type: "string" },
  since: { type: "string" },
  instance: { type: "string" },
  ...ledgerOptions,
  json: { type: "boolean" },
} as const;

export const explain: Command = { name: "explain", usage, perform };

async function perform(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const given = parsed(() => parseArgs({ args: [...args], options, allowPositionals: false }).values);
  const { fleet = "", instance, since = "1h" } = given;
  if (fleet === "") throw new UsageError("--fleet NAME is missing.");
  if (instance !== undefined && !/^i-[0-9a-f]{8,17}$/.test(instance)) {
    throw new UsageError("--instance must be an EC2 instance id.");
  }
  const ledger = await openLedger(given, parts.world);
  try {
    const from = sinceOf(since, ledger.clock.now());
    const known = await ledger.trail.fleets();
    const name = [fleet, `kici#${fleet}`].find((each) => known.includes(each));
    if (name === undefined) return unknownFleet(fleet, known);
    const entries: TrailEntry[] = [];
    for await (const entry of ledger.trail.all(name, from)) {
      if (instance === undefined || isAbout(entry, instance)) entries.push(entry);
    }
    const decisions = entries.map(explained);
    const nothing = `${name} has no decision since ${new Date(from).toISOString()}: the last one still stands.`;
    const lines = decisions.flatMap((each, index) => [...(index === 0 ? [] : [""]), ...explainedLines(each)]);
    return done(lines.length === 0 ? [nothing] : lines, {
      fleet: name,
      since: new Date(from).toISOString(),
      decisions,
    });
  } finally {
    ledger.close();
  }
}

function unknownFleet(fleet: string, known: readonly string[]): Outcome {
  const names = known.map((name) => name.replace(/^kici#/, ""));
  const list =
    names.length === 0 ? ["No fleet has a trail yet."] : ["Known fleets:", ...names.map((name) => `  ${name}`)];
  return failed([`Nothing was ever decided about ${fleet}.`, ...list], { error: "unknown_fleet", fleet, known: names });
}
