import { parseArgs } from "node:util";
import { wishCancel } from "../../lib/zoomies/cancel-wish.ts";
import { type Ledger, ledgerOptions, ledgerUsage, openLedger } from "../cli/ledger.ts";
import { done, failed, type Outcome, table } from "../cli/outcome.ts";
import { type Command, type CommandParts, parsed } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { explained, isAbout } from "../explain/explained.ts";
import { explainedLines } from "../explain/lines.ts";
import { helmrDrains } from "./helmr-drains.ts";
import type { InFlight } from "./in-flight.ts";
import { kiciAgents } from "./kici-agents.ts";
import { zoomiesDrains } from "./zoomies-drains.ts";

const usage = `npm run ops -- COMMAND [options]

  list              operations in flight, and why each waits
  show ID           one of them, with its last decisions
  cancel ID         asks Drover to give it up. It bypasses no proof: the wish is recorded, and the next minute run takes
                    back what can be taken back

${ledgerUsage}`;

const options = { ...ledgerOptions, json: { type: "boolean" } } as const;
/** How far back `show` looks for decisions, and how many it prints. */
const shownMs = 24 * 3_600_000;
const mostShown = 5;

export const ops: Command = { name: "ops", usage, perform };

async function perform(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const { values, positionals } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: true }));
  const [command = "", id, ...more] = positionals;
  if (!["list", "show", "cancel"].includes(command))
    throw new UsageError("Say what to do: list, show ID or cancel ID.");
  if (command === "list" ? id !== undefined : id === undefined || more.length > 0) {
    throw new UsageError(command === "list" ? "list takes no ID." : `${command} takes one ID, as list shows it.`);
  }
  const ledger = await openLedger(values, parts.world);
  try {
    const all = await inFlight(ledger);
    if (id === undefined) return listed(all, ledger.clock.now());
    const [found, another] = all.filter((each) => each.id === id);
    if (found === undefined) return failed([`Nothing in flight has the id ${id}.`], { error: "unknown_id", id });
    if (another !== undefined) return failed([`${id} is in flight at ${found.fleet} and ${another.fleet}.`], { id });
    return command === "show" ? await shown(ledger, found) : await cancelled(ledger, found);
  } finally {
    ledger.close();
  }
}

async function inFlight(ledger: Ledger): Promise<InFlight[]> {
  // Every fleet that was ever decided about; a drain begins with a decision.
  const names = (await ledger.trail.fleets()).filter((name) => !name.startsWith("kici#"));
  const found = await Promise.all([zoomiesDrains(ledger, names), helmrDrains(ledger, names), kiciAgents(ledger)]);
  return found.flat().sort((a, b) => a.since - b.since);
}

function listed(all: readonly InFlight[], now: number): Outcome {
  if (all.length === 0) return done(["Nothing is in flight."], { operations: [] });
  const rows = all.map(({ id, kind, fleet, phase, since, waits }) => [id, kind, fleet, phase, age(now - since), waits]);
  return done(table(["ID", "KIND", "FLEET", "PHASE", "FOR", "WAITS UNTIL"], rows), { operations: all });
}

async function shown({ trail, clock }: Ledger, operation: InFlight): Promise<Outcome> {
  const { id, kind, fleet, phase, since, waits, instance, cancel } = operation;
  const name = kind.startsWith("kici") ? `kici#${fleet}` : fleet;
  const decisions = [];
  for await (const entry of trail.all(name, clock.now() - shownMs)) {
    if (isAbout(entry, id) || (instance !== undefined && isAbout(entry, instance))) decisions.push(explained(entry));
  }
  const last = decisions.slice(-mostShown);
  const lines = [
    `${kind} ${id} of ${fleet}: ${phase}, begun ${new Date(since).toISOString()}`,
    ...(instance === undefined || instance === id ? [] : [`  instance  ${instance}`]),
    `  waits     ${waits}`,
    `  cancel    ${cancel}`,
    ...last.flatMap((each) => ["", ...explainedLines(each)]),
  ];
  return done(lines, { operation, decisions: last });
}

async function cancelled({ records, clock }: Ledger, operation: InFlight): Promise<Outcome> {
  const { id, fleet, cancel, cancelKey } = operation;
  if (cancelKey === undefined)
    return failed([`${id} cannot be cancelled. ${cancel}`], { error: "not_cancellable", id });
  await wishCancel(records, fleet, cancelKey, clock.now());
  const lines = [
    `Recorded. ${cancel}`,
    "Unless its end is asked for first. It may be chosen again once it has been idle for drover:idle-minutes; drover:scale-in=off keeps it.",
  ];
  return done(lines, { id, recorded: true });
}

function age(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
