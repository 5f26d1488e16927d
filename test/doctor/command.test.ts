import { expect, test } from "vitest";
import { runCommand } from "../../infra/cli/run-command.ts";
import { doctor } from "../../infra/doctor/command.ts";

async function run(args: readonly string[]) {
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const exit = await runCommand(doctor, args, { variables: {}, world: () => undefined, print, printError: print });
  return { exit, text: printed.join("\n") };
}

test.each([
  [[], "Give --stack NAME, or start a local world with npm start."],
  [["--stacks", "x"], "Unknown option '--stacks'"],
  [["drover"], "drover"],
])("%j is a usage error with exit code 2", async (args, message) => {
  const { exit, text } = await run(args);
  expect(exit).toBe(2);
  expect(text).toContain(message);
  expect(text).toContain("npm run doctor -- --help tells more.");
});

test("--help prints the usage and is no error", async () => {
  const { exit, text } = await run(["--help"]);
  expect(exit).toBe(0);
  expect(text).toContain("Exit code 0: no error found, warnings at most; 1: some error");
});
