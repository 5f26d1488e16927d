import { processParts, runCommand } from "../cli/run-command.ts";
import { cost } from "./command.ts";

process.exitCode = await runCommand(cost, process.argv.slice(2), processParts);
