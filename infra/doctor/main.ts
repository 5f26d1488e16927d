import { localFolder, readWorldFile } from "../local/world-file.ts";
import { doctor } from "./command.ts";

process.exitCode = await doctor(process.argv.slice(2), {
  world: () => readWorldFile(localFolder(process.env)),
  now: Date.now,
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
});
