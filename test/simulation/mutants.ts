import { readFile, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";
import { build, type Plugin } from "esbuild";
import type { SimulatedWorld } from "./runner.ts";

/** A small change of a rule that the simulation must notice. */
export interface Mutant {
  readonly name: string;
  /** From the project's root. */
  readonly file: string;
  /** Text that stands in the file exactly once, and what stands there instead. */
  readonly find: string;
  readonly replace: string;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Thrown when the code has moved on and a mutant no longer says what to change. */
export class StaleMutant extends Error {
  override readonly name = "StaleMutant";
}

/**
 * Bundles a world (`entry` exports it as `world`) with one rule changed, in a folder of its own, and loads it. The code
 * in the project stays as it is.
 */
export async function mutatedWorld(entry: string, mutant: Mutant): Promise<SimulatedWorld> {
  const slug = mutant.name.replaceAll(/[^a-z]+/gi, "-");
  const outfile = `${root}.build/mutants/${slug}.${process.pid}.${threadId}.mjs`;
  try {
    await build({
      entryPoints: [`${root}${entry}`],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node24",
      packages: "external",
      logLevel: "error",
      plugins: [changing(mutant)],
    });
    const loaded = (await import(pathToFileURL(outfile).href)) as { world: SimulatedWorld };
    return loaded.world;
  } finally {
    await rm(outfile, { force: true });
  }
}

function changing({ name, file, find, replace }: Mutant): Plugin {
  return {
    name: "one-rule-changed",
    setup({ onLoad, onEnd }) {
      let isChanged = false;
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== `${root}${file}`) return undefined;
        const text = await readFile(path, "utf8");
        if (text.split(find).length !== 2) throw new StaleMutant(`${name}: not exactly once in ${file}: ${find}`);
        isChanged = true;
        return { contents: text.replace(find, () => replace), loader: "ts" };
      });
      onEnd(() => {
        if (!isChanged) throw new StaleMutant(`${name}: ${file} is not part of the world`);
      });
    },
  };
}
