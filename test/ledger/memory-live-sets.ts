import type { Clock } from "../../lib/edge/clock.ts";
import type { LiveSet, LiveSets, Place } from "../../lib/ledger/live-set.ts";

/** Sets of living things in memory, for simulations on a virtual clock: each call is one step, as each is one write in DynamoDB. */
export class MemoryLiveSets implements LiveSets {
  readonly #sets = new Map<string, { set: LiveSet; places: Map<string, number> }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async take(set: LiveSet, name: string, cap: number): Promise<"taken" | "full"> {
    const places = this.#open(set);
    if (!places.has(name) && places.size >= cap) return "full";
    places.set(name, this.#clock.now());
    return "taken";
  }

  async admit(set: LiveSet, name: string): Promise<void> {
    this.#open(set).set(name, this.#clock.now());
  }

  async free(set: LiveSet, name: string, since?: number): Promise<void> {
    const places = this.#open(set);
    if (since === undefined || places.get(name) === since) places.delete(name);
  }

  async places(set: LiveSet): Promise<readonly Place[]> {
    return [...this.#open(set)].map(([name, since]) => ({ name, since }));
  }

  async sets(): Promise<readonly LiveSet[]> {
    return [...this.#sets.values()].map(({ set }) => set);
  }

  #open(set: LiveSet): Map<string, number> {
    const key = JSON.stringify([set.of, set.kind]);
    const known = this.#sets.get(key) ?? { set, places: new Map<string, number>() };
    this.#sets.set(key, known);
    return known.places;
  }
}
