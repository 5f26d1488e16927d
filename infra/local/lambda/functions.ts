import { randomUUID } from "node:crypto";
import type { LocalFunction } from "../template.ts";
import { type Environment, startEnvironment } from "./environment.ts";
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
  /** Whether an environment of these functions, alive or ended, calls AWS by this access key id. */
  owns(accessKeyId: string): boolean;
  setConcurrencyLimit(limit: number): void;
  /** Invocations that run at this moment. */
  inFlight(): number;
  /** Resolves once nothing runs any more. */
  idle(): Promise<void>;
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

type Pool = {
  idle: Environment[];
  busy: Set<Environment>;
  served: WeakSet<Environment>;
  retired: WeakSet<Environment>;
};

export function localFunctions(options: FunctionsOptions): LocalFunctions {
  const pools = new Map<string, Pool>(options.definitions.map(({ id }) => [id, newPool()]));
  const waiting: (() => void)[] = [];
  const started = new Set<string>();
  let limit = options.concurrencyLimit;
  let running = 0;

  async function run(definition: LocalFunction, pool: Pool, event: unknown, requestId: string): Promise<Invocation> {
    const environment = pool.idle.pop() ?? startEnvironment({ ...options, definition });
    const coldStart = !pool.served.has(environment);
    pool.served.add(environment);
    started.add(environment.accessKeyId);
    pool.busy.add(environment);
    const output: string[] = [];
    const outcome = await environment.serve(event, requestId, (line) => {
      output.push(line);
      options.onLine?.(definition.id, line);
    });
    pool.busy.delete(environment);
    // Lambda replaces an environment whose function timed out or whose module failed to load.
    const isLost =
      outcome.kind === "timed-out" || outcome.kind === "killed" || (coldStart && outcome.kind === "failed");
    if (isLost) environment.kill();
    else if (!pool.retired.has(environment)) pool.idle.push(environment);
    const { number, accessKeyId } = environment;
    return {
      functionId: definition.id,
      requestId,
      event,
      outcome,
      environment: { number, accessKeyId, coldStart },
      output,
    };
  }

  function all(): Environment[] {
    return [...pools.values()].flatMap((pool) => [...pool.idle, ...pool.busy]);
  }

  return {
    definitions: options.definitions,
    async invoke(functionId, event) {
      const definition = options.definitions.find(({ id }) => id === functionId);
      const pool = pools.get(functionId);
      if (definition === undefined || pool === undefined)
        throw new Error(`The template has no function ${functionId}.`);
      const requestId = randomUUID();
      let invocation: Invocation;
      if (running >= limit) {
        const outcome: Outcome = { kind: "throttled" };
        invocation = { functionId, requestId, event, outcome, environment: undefined, output: [] };
      } else {
        running += 1;
        try {
          invocation = await run(definition, pool, event, requestId);
        } finally {
          running -= 1;
          if (running === 0) for (const wake of waiting.splice(0)) wake();
        }
      }
      options.onInvocation?.(invocation);
      return invocation;
    },
    restart() {
      for (const pool of pools.values()) {
        pool.idle = [];
        for (const environment of pool.busy) pool.retired.add(environment);
      }
    },
    kill(accessKeyId) {
      for (const pool of pools.values()) pool.idle = pool.idle.filter((each) => each.accessKeyId !== accessKeyId);
      for (const environment of all()) if (environment.accessKeyId === accessKeyId) environment.kill();
    },
    owns: (accessKeyId) => started.has(accessKeyId),
    setConcurrencyLimit(to) {
      limit = to;
    },
    inFlight: () => running,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close() {
      for (const environment of all()) environment.kill();
    },
  };
}

function newPool(): Pool {
  return { idle: [], busy: new Set(), served: new WeakSet(), retired: new WeakSet() };
}
