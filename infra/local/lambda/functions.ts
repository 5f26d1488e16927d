import { randomUUID } from "node:crypto";
import type { LocalFunction } from "../template.ts";
import { type Environment, startEnvironment } from "./environment.ts";
import { type EnvironmentPool, environmentPool } from "./environment-pool.ts";
import type { Invocation, Outcome } from "./invocation.ts";

/** The template's functions as Lambda runs them: pools of environments under one account-wide concurrency limit. */
export type LocalFunctions = {
  readonly definitions: readonly LocalFunction[];
  /** Runs a function once, by its logical id, and tells how that ended. Throws only for an id that does not exist. */
  invoke(functionId: string, event: unknown): Promise<Invocation>;
  /** Every environment is replaced with its next invocation, as after a deployment; what runs now may finish. */
  restart(): void;
  /** Ends the environment that calls AWS by this access key id in the middle of its work; its process is gone. */
  kill(accessKeyId: string): void;
  /** The function whose environment, alive or ended, calls AWS by this access key id; undefined for anybody else. */
  ownerOf(accessKeyId: string): string | undefined;
  setConcurrencyLimit(limit: number): void;
  /** Invocations that run at this moment. */
  inFlight(): number;
  /** Ends every environment. */
  close(): void;
};

export type FunctionsOptions = {
  definitions: readonly LocalFunction[];
  folder: URL;
  shared: Readonly<Record<string, string>>;
  region: string;
  account: string;
  /** Concurrent executions of the account: 1,000 by default, 10 in a new account (Lambda quotas). */
  concurrencyLimit: number;
  onLine?: ((functionId: string, line: string) => void) | undefined;
  onInvocation?: ((invocation: Invocation) => void) | undefined;
};

export function localFunctions(options: FunctionsOptions): LocalFunctions {
  const started = new Map<string, string>();
  const cold = { now: 0 };
  const pools = new Map<string, EnvironmentPool>(
    options.definitions.map((definition) => [definition.id, environmentPool(() => start(definition), cold)]),
  );
  let limit = options.concurrencyLimit;
  let running = 0;

  function start(definition: LocalFunction): Environment {
    const environment = startEnvironment({ ...options, definition });
    started.set(environment.accessKeyId, definition.id);
    return environment;
  }

  async function run(
    functionId: string,
    pool: EnvironmentPool,
    event: unknown,
    requestId: string,
  ): Promise<Invocation> {
    const taken = await pool.take();
    if (taken === undefined) return notRun(functionId, requestId, event, { kind: "killed" });
    const { environment, coldStart } = taken;
    const output: string[] = [];
    const outcome = await environment.serve(event, requestId, (line) => {
      output.push(line);
      options.onLine?.(functionId, line);
    });
    // Lambda replaces an environment whose function timed out or whose module failed to load.
    const isLost =
      outcome.kind === "timed-out" || outcome.kind === "killed" || (coldStart && outcome.kind === "failed");
    pool.giveBack(environment, !isLost);
    const { number, accessKeyId } = environment;
    return { functionId, requestId, event, outcome, environment: { number, accessKeyId, coldStart }, output };
  }

  return {
    definitions: options.definitions,
    async invoke(functionId, event) {
      const pool = pools.get(functionId);
      if (pool === undefined) throw new Error(`The template has no function ${functionId}.`);
      const requestId = randomUUID();
      let invocation: Invocation;
      if (running >= limit) {
        invocation = notRun(functionId, requestId, event, { kind: "throttled" });
      } else {
        running += 1;
        try {
          invocation = await run(functionId, pool, event, requestId);
        } finally {
          running -= 1;
        }
      }
      options.onInvocation?.(invocation);
      return invocation;
    },
    restart() {
      for (const pool of pools.values()) pool.retireAll();
    },
    kill(accessKeyId) {
      for (const pool of pools.values()) pool.kill(accessKeyId);
    },
    ownerOf: (accessKeyId) => started.get(accessKeyId),
    setConcurrencyLimit(to) {
      limit = to;
    },
    inFlight: () => running,
    close() {
      for (const pool of pools.values()) pool.close();
    },
  };
}

function notRun(functionId: string, requestId: string, event: unknown, outcome: Outcome): Invocation {
  return { functionId, requestId, event, outcome, environment: undefined, output: [] };
}
