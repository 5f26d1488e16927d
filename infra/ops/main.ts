import { processParts, runCommand } from "../cli/run-command.ts";
import { ops } from "./command.ts";

process.exitCode = await runCommand(ops, process.argv.slice(2), processParts);
