import { UsageError } from "../local/send/usage-error.ts";
import { localFolder, readWorldFile, type WorldFile } from "../local/world-file.ts";
import type { Outcome } from "./outcome.ts";

/** What an operator's command takes from outside. */
export interface CommandParts {
  world(): WorldFile | undefined;
  print(line: string): void;
  printError(line: string): void;
}

/** The parts of a command that runs as a process. */
export const processParts: CommandParts = {
  world: () => readWorldFile(localFolder(process.env)),
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
};

/** One command: `perform` says what came of it. */
export interface Command {
  /** As in `npm run NAME`. */
  readonly name: string;
  readonly usage: string;
  perform(args: readonly string[], parts: CommandParts): Promise<Outcome>;
}

/**
 * Runs one command. The exit code: 0 when it was done, 1 when it was refused or failed, 2 when the arguments make no sense.
 * Names and messages of errors only: a cause may hold a request.
 */
export async function runCommand(command: Command, args: readonly string[], parts: CommandParts): Promise<0 | 1 | 2> {
  if (args.includes("--help") || args.includes("-h")) {
    parts.print(command.usage);
    return 0;
  }
  try {
    const { ok, lines, value } = await command.perform(args, parts);
    for (const line of args.includes("--json") ? [JSON.stringify(value, null, 2)] : lines) parts.print(line);
    return ok ? 0 : 1;
  } catch (error) {
    parts.printError(error instanceof Error ? error.message : String(error));
    if (!(error instanceof UsageError)) return 1;
    parts.printError(`npm run ${command.name} -- --help tells more.`);
    return 2;
  }
}

/** Reads arguments with the given reader; what it refuses is a usage error. */
export function parsed<V>(read: () => V): V {
  try {
    return read();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
