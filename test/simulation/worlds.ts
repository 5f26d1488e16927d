import { helmrMutants } from "./mutants/helmr/list.ts";
import { zoomiesMutants } from "./mutants/zoomies/list.ts";
import type { Mutant } from "./mutants.ts";
import type { SimulatedWorld } from "./runner.ts";

/** A world that `npm run simulate` knows: where it is, and the rules whose change it must notice. */
export interface KnownWorld {
  readonly name: string;
  /** From the project's root; exports `world`. */
  readonly entry: string;
  readonly mutants: readonly Mutant[];
  load(): Promise<SimulatedWorld>;
}

export const knownWorlds: readonly KnownWorld[] = [
  {
    name: "helmr",
    entry: "test/simulation/helmr/world.ts",
    mutants: helmrMutants,
    load: async () => (await import("./helmr/world.ts")).world,
  },
  {
    name: "zoomies",
    entry: "test/simulation/zoomies/world.ts",
    mutants: zoomiesMutants,
    load: async () => (await import("./zoomies/world.ts")).world,
  },
];
