import { localFolder, readWorldFile, type WorldFile } from "../local/world-file.ts";
import { failureOf } from "./failure.ts";
import type { Outcome } from "./outcome.ts";
import { UsageError } from "./usage-error.ts";

/** What an operator's command takes from outside. */
export interface CommandParts {
  readonly variables: NodeJS.ProcessEnv;
  world(): WorldFile | undefined;
  print(line: string): void;
  printError(line: string): void;
}

/** The parts of a command that runs as a process. */
export const processParts: CommandParts = {
  variables: process.env,
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
 * With --json what failed is a document too, with the error's name and sentence; what makes no sense is told on stderr alone.
 */
export async function runCommand(command: Command, args: readonly string[], parts: CommandParts): Promise<0 | 1 | 2> {
  if (args.includes("--help") || args.includes("-h")) {
    parts.print(command.usage);
    return 0;
  }
  const asJson = args.includes("--json");
  try {
    const { ok, lines, value } = await command.perform(args, parts);
    for (const line of asJson ? [JSON.stringify(value, null, 2)] : lines) parts.print(line);
    return ok ? 0 : 1;
  } catch (error) {
    const { code, message } = failureOf(error);
    if (!(error instanceof UsageError)) {
      if (asJson) parts.print(JSON.stringify({ error: code, message }, null, 2));
      else parts.printError(message);
      return 1;
    }
    parts.printError(message);
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
