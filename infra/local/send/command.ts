import { UsageError } from "../../cli/usage-error.ts";
import type { WorldFile } from "../world-file.ts";
import { kiciDownUsage, kiciUpUsage, sendKiciDown, sendKiciUp } from "./kici.ts";
import { sendZoomies, zoomiesUsage } from "./zoomies.ts";

/** What a sending command takes from outside. */
export type SendParts = {
  variables: NodeJS.ProcessEnv;
  world(): WorldFile | undefined;
  now(): number;
  /** 0 to below 1. */
  random(): number;
  print(line: string): void;
  printError(line: string): void;
};

type Command = { usage: string; run(args: readonly string[], parts: SendParts): Promise<boolean> };

const commands: Readonly<Record<string, Command>> = {
  zoomies: { usage: zoomiesUsage, run: sendZoomies },
  "kici-up": { usage: kiciUpUsage, run: sendKiciUp },
  "kici-down": { usage: kiciDownUsage, run: sendKiciDown },
};

/** Runs one sending command. The exit code: 0 for an accepted request, 1 for any other, 2 when the arguments make no sense. */
export async function send(args: readonly string[], parts: SendParts): Promise<0 | 1 | 2> {
  const [name, ...rest] = args;
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  const usage =
    command?.usage ??
    Object.values(commands)
      .map((each) => each.usage)
      .join("\n");
  if (args.includes("--help") || args.includes("-h")) {
    parts.print(usage);
    return 0;
  }
  try {
    if (command === undefined) throw new UsageError(`Say what to send: ${Object.keys(commands).join(", ")}.`);
    return (await command.run(rest, parts)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    parts.printError(`${error.message}\n\n${usage}`);
    return 2;
  }
}
