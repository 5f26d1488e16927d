import { availableParallelism } from "node:os";
import { playSeeds } from "./many-seeds.ts";
import { mutatedWorld } from "./mutants.ts";
import { type SimulateOptions, SimulateUsageError, simulateOptions, simulateUsage } from "./options.ts";
import { simulate, type Verdict } from "./runner.ts";
import { type KnownWorld, knownWorlds } from "./worlds.ts";

const atOnce = availableParallelism();

function worldOf({ world, mutant }: SimulateOptions): KnownWorld {
  const known = knownWorlds.find(({ name }) => name === world);
  if (known === undefined) throw new SimulateUsageError(`There is no world ${world}.`);
  if (mutant !== undefined && !known.mutants.some(({ name }) => name === mutant)) {
    const names = known.mutants.map(({ name }) => name).join(", ");
    throw new SimulateUsageError(`There is no mutant ${mutant}. There are: ${names}.`);
  }
  return known;
}

/** One seed with its story. */
async function tellOne(known: KnownWorld, seed: number, mutantName: string | undefined): Promise<number> {
  const mutant = known.mutants.find(({ name }) => name === mutantName);
  const world = mutant === undefined ? await known.load() : await mutatedWorld(known.entry, mutant);
  const verdict = await simulate(world, seed, (line) => console.log(line));
  for (const violation of verdict.violations) console.log(`seed ${seed}: ${violation}`);
  console.log(`1 seed, ${verdict.violations.length} violations, ${verdict.steps} steps`);
  return verdict.violations.length === 0 ? 0 : 1;
}

async function playAll({ world, seeds, mutant }: SimulateOptions): Promise<number> {
  const started = performance.now();
  const verdicts = await playSeeds({ world, mutant, seeds, atOnce, onVerdict: tellBroken(world, mutant) });
  const broken = verdicts.filter(({ violations }) => violations.length > 0).length;
  const hours = Math.round(verdicts.reduce((sum, { simulatedMs }) => sum + simulatedMs, 0) / 3_600_000);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${seeds.length} seeds, ${broken} violations, ${hours} simulated hours in ${seconds} s`);
  return broken === 0 ? 0 : 1;
}

const tellBroken =
  (world: string, mutant: string | undefined) =>
  ({ seed, violations }: Verdict): void => {
    if (violations.length === 0) return;
    for (const violation of violations) console.log(`seed ${seed}: ${violation}`);
    const change = mutant === undefined ? "" : ` --mutant ${mutant}`;
    console.log(`  again: npm run simulate -- --world ${world} --seed ${seed}${change}`);
  };

async function playMutants(known: KnownWorld, seeds: readonly number[]): Promise<number> {
  let caught = 0;
  for (const { name } of known.mutants) {
    const options = { world: known.name, mutant: name, seeds, atOnce, untilBroken: true };
    const verdicts = await playSeeds(options);
    const broken = verdicts.find(({ violations }) => violations.length > 0);
    if (broken !== undefined) caught += 1;
    const what =
      broken === undefined ? `NOT caught in ${seeds.length} seeds` : `seed ${broken.seed}: ${broken.violations[0]}`;
    console.log(`${name}: ${what}`);
  }
  console.log(`${caught}/${known.mutants.length} mutants caught`);
  return caught === known.mutants.length ? 0 : 1;
}

try {
  const options = simulateOptions(process.argv.slice(2));
  const known = worldOf(options);
  if (options.mutants) process.exitCode = await playMutants(known, options.seeds);
  else if (options.seed !== undefined) process.exitCode = await tellOne(known, options.seed, options.mutant);
  else process.exitCode = await playAll(options);
} catch (error) {
  if (!(error instanceof SimulateUsageError)) throw error;
  console.error(`${error.message}\n\n${simulateUsage}`);
  process.exitCode = 2;
}
