import { seededRandom } from "../../infra/local/aws/random.ts";

/** Everything that is left to chance in one simulation, from one seed. */
export interface Chance {
  /** 0 to below 1. */
  random(): number;
  /** True with this probability. */
  is(probability: number): boolean;
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  /** Any number from `low` to below `high`. */
  between(low: number, high: number): number;
  /** One of them. Throws when there is none. */
  pick<T>(from: readonly T[]): T;
  /** A generator of its own, so that what draws from it does not move what others draw. */
  fork(): Chance;
}

export function chance(seed: number): Chance {
  const random = seededRandom(seed);
  const between = (low: number, high: number): number => low + (high - low) * random();
  const whole = (low: number, high: number): number => Math.floor(between(low, high + 1));
  return {
    random,
    between,
    whole,
    is: (probability) => random() < probability,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError("There is nothing to pick from.");
      return from[whole(0, from.length - 1)] as T;
    },
    fork: () => chance(Math.floor(random() * 4_294_967_296)),
  };
}
