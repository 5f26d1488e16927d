import { parseArgs } from "node:util";
import { parsed } from "../../cli/run-command.ts";
import { UsageError } from "../../cli/usage-error.ts";

export const startUsage = `npm start [-- --once | --observe]

Runs Drover against a simulated AWS and a stand-in Zoomies controller, all on this machine.

  --once        ends after the first demand is in service: exit 0; 1 when that failed or took over a minute
  --observe     Mode observe: Drover looks, decides and writes down, and changes nothing
  DROVER_PORT   port of the webhook's HTTP API, by default 3000; 0 picks a free one
`;

export type StartOptions = { once: boolean; observe: boolean; help: boolean; port: number };

const options = {
  once: { type: "boolean" },
  observe: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** What was typed for `npm start`. Throws UsageError for options or a port that there cannot be. */
export function startOptions(args: readonly string[], variables: NodeJS.ProcessEnv): StartOptions {
  const given = parsed(() => parseArgs({ args: [...args], options, allowPositionals: false }).values);
  const { once = false, observe = false, help = false } = given;
  if (once && observe) throw new UsageError("--once waits for hosts in service, and with --observe none comes.");
  const port = variables["DROVER_PORT"] ?? "3000";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`DROVER_PORT must be a port from 0 to 65535, and is ${JSON.stringify(port)}.`);
  }
  return { once, observe, help, port: Number(port) };
}
