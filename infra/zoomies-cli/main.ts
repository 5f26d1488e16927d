import { processParts, runCommand } from "../cli/run-command.ts";
import { zoomies } from "./command.ts";

process.exitCode = await runCommand(zoomies, process.argv.slice(2), processParts);
