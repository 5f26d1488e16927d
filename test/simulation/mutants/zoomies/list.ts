import type { Mutant } from "../../mutants.ts";

/** Small changes of Zoomies' rules, each of which some seed must notice. */
export const zoomiesMutants: readonly Mutant[] = [];
