import { parseArgs } from "node:util";

export const simulateUsage = `npm run simulate -- --world NAME [--seeds N] [--seed S] [--from F] [--mutants] [--mutant M]

Plays our real code against simulated peers on a virtual clock, with crashes, lost replies and mishaps.

  --world NAME  helmr or zoomies
  --seeds N     plays the seeds from F, by default 300 of them, and up to 1000 for a mutant that none before has noticed
  --from F      the first seed, by default 1
  --seed S      plays one seed and prints its story
  --mutants     plays the seeds for each listed small change of a rule, and says how many were noticed
  --mutant M    plays with one such change
`;

export interface SimulateOptions {
  readonly world: string;
  readonly seeds: readonly number[];
  /** Set when one seed is to be told. */
  readonly seed: number | undefined;
  readonly mutants: boolean;
  readonly mutant: string | undefined;
}

export class SimulateUsageError extends Error {
  override readonly name = "SimulateUsageError";
}

/** What was typed. Throws {@link SimulateUsageError} for what cannot be. */
export function simulateOptions(args: readonly string[]): SimulateOptions {
  const values = parsed(args);
  if (values.world === undefined) throw new SimulateUsageError("--world is missing.");
  const seed = values.seed === undefined ? undefined : whole(values.seed, "--seed");
  const from = whole(values.from ?? "1", "--from");
  // What one rare mishap brings to light may take several hundred seeds.
  const count = whole(values.seeds ?? (values.mutants ? "1000" : "300"), "--seeds");
  const seeds = seed === undefined ? Array.from({ length: count }, (_, index) => from + index) : [seed];
  return { world: values.world, seeds, seed, mutants: values.mutants === true, mutant: values.mutant };
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    world: text,
    seeds: text,
    seed: text,
    from: text,
    mutant: text,
    mutants: { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new SimulateUsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(text: string, name: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new SimulateUsageError(`${name} must be a whole number from 1, and is ${text}.`);
  return Number(text);
}
