import { UsageError } from "../cli/usage-error.ts";
import { startOptions, startUsage } from "./start/options.ts";
import { type LocalRun, startRun } from "./start/run.ts";
import { localFolder } from "./world-file.ts";

let run: LocalRun | undefined;
let closing: Promise<never> | undefined;

/** Closes everything once, whoever asks first, and ends the process. */
function end(code: number): Promise<never> {
  closing ??= (async () => {
    await run?.close().catch((error: unknown) => complain(error));
    process.exit(code);
  })();
  return closing;
}

function complain(error: unknown): void {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

async function main(): Promise<void> {
  const options = startOptions(process.argv.slice(2), process.env);
  if (options.help) return console.log(startUsage);
  // Ctrl-C is how a run without --once is meant to end.
  process.on("SIGINT", () => void end(options.once ? 130 : 0));
  process.on("SIGTERM", () => void end(options.once ? 143 : 0));
  process.on("SIGHUP", () => void end(options.once ? 129 : 0));
  for (const kind of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(kind, (error: unknown) => {
      complain(error);
      void end(1);
    });
  }
  try {
    run = await startRun(options, localFolder(process.env), (line) => console.log(line));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    console.error(
      `Port ${options.port} is taken by another program. Choose another one (DROVER_PORT=3001 npm start) ` +
        "or let a free one be picked (DROVER_PORT=0 npm start).",
    );
    return end(1);
  }
  if (!options.once) console.log("Send more with npm run send -- zoomies --help. Ctrl-C ends it.");
  const isInService = await run.firstDemand;
  if (!options.once) return;
  console.log(isInService ? "The first demand is in service." : "The first demand did not come into service.");
  await end(isInService ? 0 : 1);
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${startUsage}`);
  else complain(error);
  await end(error instanceof UsageError ? 2 : 1);
}
