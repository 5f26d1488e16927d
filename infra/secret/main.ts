import { processParts, runCommand } from "../cli/run-command.ts";
import { secret } from "./command.ts";

process.exitCode = await runCommand(secret, process.argv.slice(2), processParts);
