import { parentPort, workerData } from "node:worker_threads";
import type { Assignment } from "./many-seeds.ts";
import { mutatedWorld } from "./mutants.ts";
import { simulate } from "./runner.ts";
import { knownWorlds } from "./worlds.ts";

/** A thread that plays the seeds it is sent, one after the other. */
const { world: name, mutant } = workerData as Assignment;
const known = knownWorlds.find((each) => each.name === name);
const change = known?.mutants.find((each) => each.name === mutant);
if (known === undefined || (change === undefined) !== (mutant === undefined)) {
  throw new Error(`There is no world ${name}${mutant === undefined ? "" : ` with a mutant ${mutant}`}.`);
}
const world = change === undefined ? await known.load() : await mutatedWorld(known.entry, change);

let last = Promise.resolve();
parentPort?.on("message", (seed: number) => {
  last = last.then(async () => parentPort?.postMessage(await simulate(world, seed)));
});
