import { readFile, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";
import { build, type Plugin } from "esbuild";
import type { SimulatedWorld } from "./runner.ts";

/** A small change of a rule that the simulation must notice. */
export interface Mutant extends Change {
  readonly name: string;
  /** Where the same rule is kept a second time, so that one change alone would make no difference. */
  readonly also?: readonly Change[];
}

export interface Change {
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

function changing({ name, also = [], ...first }: Mutant): Plugin {
  return {
    name: "one-rule-changed",
    setup({ onLoad, onEnd }) {
      const left = new Set([first, ...also]);
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const changes = [first, ...also].filter(({ file }) => path === `${root}${file}`);
        if (changes.length === 0) return undefined;
        let contents = await readFile(path, "utf8");
        for (const change of changes) {
          const { file, find, replace } = change;
          if (contents.split(find).length !== 2) throw new StaleMutant(`${name}: not exactly once in ${file}: ${find}`);
          contents = contents.replace(find, () => replace);
          left.delete(change);
        }
        return { contents, loader: "ts" };
      });
      onEnd(() => {
        for (const { file } of left) throw new StaleMutant(`${name}: ${file} is not part of the world`);
      });
    },
  };
}
