import { randomBytes } from "node:crypto";
import type { LocalFunction } from "../template.ts";
import { runInScope } from "./environment-scope.ts";
import type { Outcome } from "./invocation.ts";
import { invocationContext } from "./invocation-context.ts";

/** One Lambda execution environment: a module instance of its own that serves one invocation at a time. */
export type Environment = {
  readonly number: number;
  readonly accessKeyId: string;
  /** Runs the handler once; `line` hears what the code writes, until the next invocation or the environment's end. */
  serve(event: unknown, requestId: string, line: (text: string) => void): Promise<Outcome>;
  /** Ends it in the middle of whatever it does; what its code still does is heard by nobody. */
  kill(): void;
};

export type EnvironmentOptions = {
  definition: LocalFunction;
  /** The folder of the function's module. */
  folder: URL;
  /** What every function's environment has besides its own variables: region, endpoints. */
  shared: Readonly<Record<string, string>>;
  region: string;
  account: string;
};

type Handler = (event: unknown, context: unknown) => unknown;

let environments = 0;

/** Starts an environment; its module is loaded with the first invocation, in the environment's own scope. */
export function startEnvironment(options: EnvironmentOptions): Environment {
  const { definition } = options;
  environments += 1;
  const number = environments;
  const accessKeyId = `ASIA${randomBytes(8).toString("hex").toUpperCase()}`;
  const stream = `local/[$LATEST]${number}`;
  const scope = {
    variables: { ...lambdaVariables(options, stream), AWS_ACCESS_KEY_ID: accessKeyId, ...definition.environment },
    write: lineByLine((line) => heard(line)),
  };
  const killed = Promise.withResolvers<Outcome>();
  let heard: (line: string) => void = () => {};
  let loading: Promise<Handler> | undefined;

  async function load(): Promise<Handler> {
    // A query makes the module a new instance, in Node and under the test runner alike. What it imports is shared, which
    // is why everything that a function remembers is built in its own file.
    const url = new URL(`${definition.module}.ts?environment=${number}`, options.folder).href;
    const module = (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
    const handler = module[definition.exportName];
    if (typeof handler !== "function") {
      throw new Error(`${definition.module}.${definition.exportName} is undefined or not exported`);
    }
    return handler as Handler;
  }

  async function run(event: unknown, requestId: string, deadline: number): Promise<Outcome> {
    try {
      loading ??= load();
      const handler = await loading;
      const context = invocationContext(definition, { ...options, requestId, stream, deadline });
      const value = await handler(event === undefined ? undefined : JSON.parse(JSON.stringify(event)), context);
      return { kind: "answered", value: value === undefined ? null : JSON.parse(JSON.stringify(value)) };
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      return { kind: "failed", errorType: failure.name, message: failure.message };
    }
  }

  return {
    number,
    accessKeyId,
    async serve(event, requestId, line) {
      heard = line;
      const limitMs = definition.timeoutSeconds * 1000;
      const timeout = Promise.withResolvers<Outcome>();
      const timer = setTimeout(() => timeout.resolve({ kind: "timed-out" }), limitMs);
      try {
        const deadline = performance.now() + limitMs;
        const running = runInScope(scope, () => run(event, requestId, deadline));
        return await Promise.race([running, timeout.promise, killed.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
    kill() {
      heard = () => {};
      killed.resolve({ kind: "killed" });
    },
  };
}

/** The variables that Lambda itself sets (Lambda developer guide, "Defined runtime environment variables"). */
function lambdaVariables({ definition, shared, region, folder }: EnvironmentOptions, stream: string) {
  return {
    PATH: process.env["PATH"],
    LANG: "en_US.UTF-8",
    TZ: ":UTC",
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_SESSION_TOKEN: "local",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMegabytes),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${definition.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: stream,
    LAMBDA_TASK_ROOT: folder.pathname,
    _HANDLER: `${definition.module}.${definition.exportName}`,
    ...shared,
  };
}

/** Cuts what is written into whole lines. */
function lineByLine(line: (text: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) line(part);
  };
}
