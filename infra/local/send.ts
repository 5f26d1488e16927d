import { send } from "./send/command.ts";
import { localFolder, readWorldFile } from "./world-file.ts";

process.exitCode = await send(process.argv.slice(2), {
  variables: process.env,
  world: () => readWorldFile(localFolder(process.env)),
  now: Date.now,
  random: Math.random,
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
});
