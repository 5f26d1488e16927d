import { processParts, runCommand } from "../cli/run-command.ts";
import { helmr } from "./command.ts";

process.exitCode = await runCommand(helmr, process.argv.slice(2), processParts);
