import { parseArgs } from "node:util";
import { UsageError } from "../send/usage-error.ts";

export const startUsage = `npm start [-- --once]

Runs Drover against a simulated AWS and a stand-in Zoomies controller, all on this machine.

  --once        ends after the first demand is in service: exit 0; 1 when that failed or took over a minute
  DROVER_PORT   port of the webhook's HTTP API, by default 3000; 0 picks a free one
`;

export type StartOptions = { once: boolean; help: boolean; port: number };

/** What was typed for `npm start`. Throws UsageError for an option or a port that there cannot be. */
export function startOptions(args: readonly string[], variables: NodeJS.ProcessEnv): StartOptions {
  const { once = false, help = false } = parsed(args);
  const port = variables["DROVER_PORT"] ?? "3000";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`DROVER_PORT must be a port from 0 to 65535, and is ${JSON.stringify(port)}.`);
  }
  return { once, help, port: Number(port) };
}

function parsed(args: readonly string[]) {
  const options = { once: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
