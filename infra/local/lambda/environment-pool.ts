import type { Environment } from "./environment.ts";

export type Taken = { environment: Environment; coldStart: boolean };

/** One function's environments: those that wait for work, those that work, and invocations that wait for one of them. */
export type EnvironmentPool = {
  /** An environment for one invocation; undefined once the pool is closed. */
  take(): Promise<Taken | undefined>;
  /** Hands it back after the invocation. One that is not usable any more is ended. */
  giveBack(environment: Environment, isUsable: boolean): void;
  /** No environment of now is used again; what runs may finish. */
  retireAll(): void;
  kill(accessKeyId: string): void;
  close(): void;
};

/** How many environments, of all pools together, serve their first invocation at this moment. */
export type ColdStarts = { now: number };

/**
 * One process on a few cores stands for many machines here. A first invocation costs it some 25 ms of computing, and two
 * hundred of them at once starve each other until the functions' own timeouts fire, which no Lambda would see. So a few
 * start at a time, up to a good width, and further invocations wait for an environment that comes free, as Lambda lets
 * them; only when none has come free for a moment, because all are held up, one more is started.
 */
const COLD_AT_ONCE = 4;
const WIDTH = 16;
const MOMENT_MS = 500;

export function environmentPool(start: () => Environment, cold: ColdStarts): EnvironmentPool {
  const busy = new Set<Environment>();
  const first = new Set<Environment>();
  const retired = new WeakSet<Environment>();
  const waiting: ((taken: Taken | undefined) => void)[] = [];
  let idle: Environment[] = [];
  let growth: NodeJS.Timeout | undefined;
  let cameFree = false;

  function fresh(): Taken {
    const environment = start();
    busy.add(environment);
    first.add(environment);
    cold.now += 1;
    return { environment, coldStart: true };
  }

  function warm(environment: Environment): Taken {
    busy.add(environment);
    return { environment, coldStart: false };
  }

  function grow(): void {
    if (!cameFree) waiting.shift()?.(fresh());
    cameFree = false;
    growth = waiting.length > 0 ? setTimeout(grow, MOMENT_MS) : undefined;
  }

  return {
    async take() {
      const environment = idle.pop();
      if (environment !== undefined) return warm(environment);
      if (cold.now < COLD_AT_ONCE && busy.size < WIDTH) return fresh();
      growth ??= setTimeout(grow, MOMENT_MS);
      return new Promise((resolve) => waiting.push(resolve));
    },
    giveBack(environment, isUsable) {
      busy.delete(environment);
      if (first.delete(environment)) cold.now -= 1;
      const next = waiting.shift();
      if (!isUsable) environment.kill();
      if (isUsable && !retired.has(environment)) {
        if (next === undefined) idle.push(environment);
        else next(warm(environment));
      } else next?.(fresh());
      cameFree = true;
      if (cold.now < COLD_AT_ONCE && busy.size < WIDTH) waiting.shift()?.(fresh());
    },
    retireAll() {
      idle = [];
      for (const environment of busy) retired.add(environment);
    },
    kill(accessKeyId) {
      idle = idle.filter((each) => each.accessKeyId !== accessKeyId);
      for (const environment of busy) if (environment.accessKeyId === accessKeyId) environment.kill();
    },
    close() {
      clearTimeout(growth);
      for (const environment of [...idle, ...busy]) environment.kill();
      for (const give of waiting.splice(0)) give(undefined);
    },
  };
}
