import { processParts, runCommand } from "../cli/run-command.ts";
import { explain } from "./command.ts";

process.exitCode = await runCommand(explain, process.argv.slice(2), processParts);
