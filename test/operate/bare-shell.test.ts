import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, expect, test } from "vitest";
import { root } from "../../infra/build/entry-points.ts";

const home = mkdtempSync(`${tmpdir()}/drover-bare-`);
afterAll(() => rmSync(home, { recursive: true }));

/** Runs the process of a command, by its folder in infra/, in a shell that knows of no account and of no local world; nothing leaves this machine. */
function inBareShell(command: string, variables: Readonly<Record<string, string>>) {
  const [folder = "", ...args] = command.split(" ");
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${root}infra/${folder}/main.ts`, ...args], {
    env: { HOME: home, DROVER_LOCAL_DIR: home, AWS_EC2_METADATA_DISABLED: "true", ...variables },
    encoding: "utf8",
  });
  expect(stdout + stderr).not.toMatch(/^ {4}at /m);
  return { status, stdout, stderr };
}

// What the SDK calls these is its own affair: an upgrade that renames them shows here.
test.each([
  ["explain --fleet linux --table t", { AWS_REGION: "eu-west-1" }, "There are no AWS credentials in this shell"],
  ["doctor --stack drover", {}, "No region is set"],
  ["helmr-cli plan --stack drover", { AWS_REGION: "eu-west-1" }, "There are no AWS credentials in this shell"],
])("%s in a shell with %j says what is missing, without a stack trace", (command, variables, sentence) => {
  const { status, stdout, stderr } = inBareShell(command, variables);
  expect([status, stdout + stderr]).toEqual([1, expect.stringContaining(sentence)]);
});

test("programs get one document on stdout of what failed too", () => {
  const { status, stdout, stderr } = inBareShell("zoomies-cli plan --stack drover --json", { AWS_REGION: "eu-west-1" });
  expect([status, stderr]).toEqual([1, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ error: "CredentialsProviderError" });
});
