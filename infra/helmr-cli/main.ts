import { localFolder, readWorldFile } from "../local/world-file.ts";
import { helmr } from "./command.ts";

process.exitCode = await helmr(process.argv.slice(2), {
  variables: process.env,
  world: () => readWorldFile(localFolder(process.env)),
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
});
