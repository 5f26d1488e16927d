import type { Mutant } from "../../mutants.ts";

/** Small changes of Helmr's rules, each of which some seed must notice. */
export const helmrMutants: readonly Mutant[] = [];
