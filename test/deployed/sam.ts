import { execFile } from "node:child_process";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { deployTools, samEnvironment } from "../../infra/build/deploy-tools.ts";
import { root } from "../../infra/build/entry-points.ts";
import { adaptTemplate } from "./adapted-template.ts";
import { account, region } from "./ministack.ts";

/** The commands that a person deploys with, against MiniStack. Each throws with its whole output when it fails. */
export interface Sam {
  build(): Promise<void>;
  deploy(parameters?: Readonly<Record<string, string>>): Promise<void>;
  /** Makes the change set that an environment of samconfig.toml asks for, with its own parameters, and does not carry it out. */
  preview(environment: string): Promise<void>;
  delete(): Promise<void>;
}

/**
 * @param folder where the build goes; the project's own .aws-sam is left alone
 * @param endpoint MiniStack's URL
 * @param simulator URL of EC2 and Auto Scaling, for the functions
 */
export function sam(stack: string, folder: string, endpoint: string, simulator: string): Sam {
  const tools = deployTools();
  const run = async (command: string, ...args: string[]) => {
    const environment = {
      PATH: process.env["PATH"],
      HOME: folder,
      ...samEnvironment,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: account,
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_DEFAULT_REGION: region,
    };
    const running = promisify(execFile)(`${tools}/sam`, [command, ...args], {
      cwd: root,
      env: environment,
      timeout: 200_000,
      maxBuffer: 16 * 1024 * 1024,
    });
    running.child.stdin?.end();
    try {
      await running;
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`sam ${command} failed.\n${stdout}\n${stderr}`, { cause: error });
    }
  };
  const built = `${folder}/build`;
  const deployment = [
    "deploy",
    ...["--config-file", `${root}samconfig.toml`],
    ...["--template-file", `${built}/template.yaml`, "--stack-name", stack, "--no-confirm-changeset"],
  ] as const;
  return {
    async build() {
      await run("build", "--build-dir", built);
      renameBundles(built);
      const template = `${built}/template.yaml`;
      writeFileSync(template, adaptTemplate(readFileSync(template, "utf8"), simulator));
    },
    deploy(parameters = {}) {
      const overrides = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
      return run(...deployment, ...(overrides.length === 0 ? [] : ["--parameter-overrides", ...overrides]));
    },
    preview: (environment) => run(...deployment, "--config-env", environment, "--no-execute-changeset"),
    delete: () => run("delete", "--stack-name", stack, "--no-prompts", "--region", region),
  };
}

/** Lambda looks for `.cjs` (its runtime interface client's list of endings), MiniStack does not. The bytes stay what they were. */
function renameBundles(built: string): void {
  for (const file of readdirSync(built, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".cjs")) renameSync(`${built}/${file}`, `${built}/${file.slice(0, -".cjs".length)}.js`);
  }
}
