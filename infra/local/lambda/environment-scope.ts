import { AsyncLocalStorage } from "node:async_hooks";
import { formatWithOptions } from "node:util";

/** What one function's code sees of its process: its environment variables, and where its output goes. */
export type EnvironmentScope = {
  readonly variables: Record<string, string | undefined>;
  write(text: string): void;
};

const scopes = new AsyncLocalStorage<EnvironmentScope>();
let installed = false;

/**
 * Runs code as if it had a process of its own: `process.env` and standard output belong to the scope for everything that
 * this call starts, also later and at the same time as others. One real process serves many Lambda environments, and
 * the SDK reads credentials and endpoint from `process.env` not at import but with the first request.
 */
export function runInScope<T>(scope: EnvironmentScope, run: () => T): T {
  install();
  return scopes.run(scope, run);
}

/** Whoever listens is the world outside, and may print itself. */
function hear(scope: EnvironmentScope, text: string): void {
  scopes.exit(() => scope.write(text));
}

/** Outside every scope the process behaves as before, so that this needs no undoing. */
function install(): void {
  if (installed) return;
  installed = true;
  const outside = process.env;
  const variables = () => scopes.getStore()?.variables ?? outside;
  process.env = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_, name) => Reflect.get(variables(), name),
      set: (_, name, value) => Reflect.set(variables(), name, String(value)),
      has: (_, name) => Reflect.has(variables(), name),
      deleteProperty: (_, name) => Reflect.deleteProperty(variables(), name),
      defineProperty: (_, name, property) => Reflect.defineProperty(variables(), name, property),
      ownKeys: () => Reflect.ownKeys(variables()),
      getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(variables(), name),
    },
  );
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
      const scope = scopes.getStore();
      if (scope === undefined) return write(chunk, ...rest);
      hear(scope, typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
      const done: unknown = rest.at(-1);
      if (typeof done === "function") process.nextTick(done as () => void);
      return true;
    }) as typeof stream.write;
  }
  // A test runner's console does not write to the process's streams.
  for (const level of ["debug", "info", "log", "warn", "error"] as const) {
    const print = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      const scope = scopes.getStore();
      if (scope === undefined) print(...values);
      else hear(scope, `${formatWithOptions({ colors: false }, ...values)}\n`);
    };
  }
}
