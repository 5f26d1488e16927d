import type { Command } from "../../cli/run-command.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { kiciDownUsage, kiciUpUsage, sendKiciDown, sendKiciUp } from "./kici.ts";
import { sendZoomies, zoomiesUsage } from "./zoomies.ts";

const name = "send";
const kinds: Readonly<Record<string, Command>> = {
  zoomies: { name, usage: zoomiesUsage, perform: sendZoomies },
  "kici-up": { name, usage: kiciUpUsage, perform: sendKiciUp },
  "kici-down": { name, usage: kiciDownUsage, perform: sendKiciDown },
};

const any: Command = {
  name,
  usage: Object.values(kinds)
    .map(({ usage }) => usage)
    .join("\n"),
  async perform() {
    throw new UsageError(`Say what to send: ${Object.keys(kinds).join(", ")}.`);
  },
};

/** The sending command that is meant, and what was typed after its name. */
export function sendCommand(args: readonly string[]): readonly [Command, readonly string[]] {
  const [kind = "", ...rest] = args;
  const command = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return command === undefined ? [any, args] : [command, rest];
}
