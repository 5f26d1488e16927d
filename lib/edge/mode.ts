import type { Environment } from "./environment.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Whether this stack acts, or only reads, decides and records (the stack's parameter Mode). Parts are chosen by it where
 * they are wired, and nowhere else.
 */
export type Mode = "act" | "observe";

export function modeOf(env: Environment): Mode {
  const mode = env.optional("DROVER_MODE") ?? "act";
  if (mode === "act" || mode === "observe") return mode;
  throw new Error(`Environment variable DROVER_MODE must be act or observe, and is "${mode}".`);
}

/** How something decided is done, where no port stands for it alone: gives what came of it, for the trail. */
export type CarryOut = (act: () => Promise<string>) => Promise<string>;

/** Sends nothing and begins nothing in the ledger: for a stack that only observes, and for a fleet that is paused. */
export const onlyObserve: CarryOut = async () => "observed";

export const carryOutIn = (mode: Mode): CarryOut => (mode === "act" ? (act) => act() : onlyObserve);

/** The metrics of a stack that only observes: a demand that it was not to meet is not lost by it (the alarm says it must be 0). */
export const observingMetrics = (metrics: Metrics): Metrics => ({
  count: (...counted) => (counted[0] === "DemandLost" ? undefined : metrics.count(...counted)),
});

/** Something that a stack which only observes never sends was to be sent. Nothing was. */
export class OnlyObserving extends Error {
  override readonly name = "OnlyObserving";

  constructor(what: string) {
    super(`Drover only observes, so this was not sent: ${what}.`);
  }
}

/** The same port with each of the named methods refused by {@link OnlyObserving}. */
export function refusing<P extends object>(port: P, methods: readonly (keyof P & string)[]): P {
  const refusals = methods.map((name) => [
    name,
    async () => {
      throw new OnlyObserving(name);
    },
  ]);
  return { ...port, ...Object.fromEntries(refusals) } as P;
}
