import { processParts, runCommand } from "../cli/run-command.ts";
import { doctor } from "./command.ts";

process.exitCode = await runCommand(doctor, process.argv.slice(2), processParts);
