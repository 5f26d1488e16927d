// npm run check:deploy   everything about a deployment that can be checked without an AWS account: the template's lint, the examples' lint,
// the lint of shell scripts and of those in user data, SAM's build of every function, and that each artifact is one bundle which loads and exports its
// handler. Stops at the first failure.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { deployTools, samEnvironment, shellTools } from "./deploy-tools.ts";
import { root } from "./entry-points.ts";
import { probe } from "./probe.ts";
import { templateFunctions } from "./template-functions.ts";
import { userDataScripts } from "./user-data-scripts.ts";

const tools = deployTools();

/** Runs one of SAM's tools with nothing to ask and nobody to call; ends this process when it fails. */
const run = (tool: string, ...args: string[]) => runFrom(tools, tool, args);

function runFrom(folder: string, tool: string, args: readonly string[], input = ""): void {
  console.log(`\n$ ${tool} ${args.join(" ")}`);
  const { status, error } = spawnSync(`${folder}/${tool}`, args, {
    cwd: root,
    input,
    stdio: ["pipe", "inherit", "inherit"],
    env: {
      ...process.env,
      ...samEnvironment,
      AWS_DEFAULT_REGION: process.env["AWS_DEFAULT_REGION"] ?? "eu-west-1",
    },
  });
  if (status === 0) return;
  console.error(`${tool} ${args[0]} failed (${error?.message ?? `it ended with ${status}`}).`);
  process.exit(1);
}

const filesOf = (folder: string, ending: string) =>
  existsSync(`${root}${folder}`)
    ? readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(ending))
        .map((file) => `${folder}/${file}`)
    : [];

run("sam", "validate", "--lint");
run("cfn-lint", "template.yaml", ...filesOf("infra/examples", ".yaml"));
const shell = shellTools();
runFrom(shell, "shellcheck", [".ci/run", ...filesOf("infra", ".sh")]);
for (const { name, text } of userDataScripts()) {
  console.log(`\nUser data, the ${name}:`);
  runFrom(shell, "shellcheck", ["--shell=sh", "--severity=style", "-"], text);
}
run("sam", "build");

for (const { id, module, exportName, environment } of templateFunctions()) {
  const folder = `${root}.aws-sam/build/${id}`;
  const files = readdirSync(folder);
  if (files.length !== 1 || files[0] !== `${module}.cjs`) {
    console.error(`${id}: the artifact must be ${module}.cjs alone, but holds ${files.join(", ") || "nothing"}.`);
    process.exit(1);
  }
  const { exports } = probe(`${folder}/${module}.cjs`, environment);
  if (!exports.includes(exportName)) {
    console.error(`${id}: ${module}.cjs exports ${exports.join(", ") || "nothing"}, and no ${exportName}.`);
    process.exit(1);
  }
  console.log(`${id}: ${module}.cjs exports ${exportName}`);
}
