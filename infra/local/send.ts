import { processParts, runCommand } from "../cli/run-command.ts";
import { sendCommand } from "./send/command.ts";

process.exitCode = await runCommand(...sendCommand(process.argv.slice(2)), processParts);
