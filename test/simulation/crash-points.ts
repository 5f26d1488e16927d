import type { VirtualTime } from "./virtual-time.ts";

/** One run of a program that can end at any moment: none of its calls has an effect or an answer after that. */
export interface Life {
  readonly name: string;
  readonly alive: boolean;
  /** Crashed, frozen or timed out: whatever it awaits never comes back. */
  end(): void;
}

export function life(name: string): Life {
  let alive = true;
  return {
    name,
    get alive() {
      return alive;
    },
    end() {
      alive = false;
    },
  };
}

/** What befalls one call. */
export type Mishap =
  | { readonly kind: "none" }
  /** The program ends as it calls, with or without the call's effect. */
  | { readonly kind: "crash"; readonly moment: "before" | "after" }
  /** An error, and no effect. */
  | { readonly kind: "refused"; readonly error: Error }
  /** Another answer, and no effect. */
  | { readonly kind: "refused-answer"; readonly answer: unknown }
  /** The effect, and then an error instead of the answer. */
  | { readonly kind: "reply-lost"; readonly error: Error }
  /** An error now, and the effect later all the same. */
  | { readonly kind: "lands-late"; readonly error: Error; readonly afterMs: number }
  /** The client repeats the call by itself, because it did not hear the first answer. */
  | { readonly kind: "repeated" }
  /** The answer is another one than the peer meant. */
  | { readonly kind: "odd"; distort(answer: unknown): unknown };

export interface Peril {
  readonly time: VirtualTime;
  /** How long a call is on its way, in milliseconds; 0 answers within the instant. */
  latencyMs(call: string): number;
  mishap(call: string, args: readonly unknown[]): Mishap;
}

/**
 * A port of one life, method for method, on which every call is a crash point and may go wrong. What the port does not
 * return a promise for is passed through.
 */
export function perilous<P extends object>(port: P, name: string, alive: Life, peril: Peril): P {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== "function" || typeof key !== "string") return method;
      const call = `${name}.${key}`;
      return (...args: unknown[]) => cross(call, args, () => method.apply(target, args), alive, peril);
    },
  });
}

const never = new Promise<never>(() => {});

async function cross(
  call: string,
  args: readonly unknown[],
  effect: () => unknown,
  alive: Life,
  peril: Peril,
): Promise<unknown> {
  if (!alive.alive) return never;
  const { time } = peril;
  const latency = peril.latencyMs(call);
  if (latency > 0) await time.sleep(latency / 2);
  if (!alive.alive) return never;
  const answer = await under(peril.mishap(call, args), effect, alive, time);
  if (latency > 0) await time.sleep(latency / 2);
  return alive.alive ? answer : never;
}

async function under(mishap: Mishap, effect: () => unknown, alive: Life, time: VirtualTime): Promise<unknown> {
  switch (mishap.kind) {
    case "none":
      return effect();
    case "crash":
      if (mishap.moment === "after") await quietly(effect);
      alive.end();
      return never;
    case "refused":
      throw mishap.error;
    case "refused-answer":
      return mishap.answer;
    case "reply-lost":
      await quietly(effect);
      throw mishap.error;
    case "lands-late":
      time.after(mishap.afterMs, () => void quietly(effect));
      throw mishap.error;
    case "repeated":
      await quietly(effect);
      return effect();
    case "odd":
      return mishap.distort(await effect());
  }
}

async function quietly(effect: () => unknown): Promise<void> {
  try {
    await effect();
  } catch {
    // An error is lost on its way as an answer is.
  }
}
