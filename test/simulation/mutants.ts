import { readFile, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";
import { build, type Plugin } from "esbuild";
import type { SimulatedWorld } from "./runner.ts";

/** A small change of a rule that the simulation must notice. */
export interface Mutant extends Change {
  readonly name: string;
  /** The same rule where it is asked a second time: what two places forbid is gone only when both are changed. */
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
  const outfile = `${root}.build/mutants/${mutant.name}.${process.pid}.${threadId}.mjs`;
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
  const changes = [first, ...also];
  return {
    name: "one-rule-changed",
    setup({ onLoad, onEnd }) {
      const changed = new Set<Change>();
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const here = changes.filter(({ file }) => path === `${root}${file}`);
        if (here.length === 0) return undefined;
        let contents = await readFile(path, "utf8");
        for (const change of here) {
          const { file, find, replace } = change;
          if (contents.split(find).length !== 2) throw new StaleMutant(`${name}: not exactly once in ${file}: ${find}`);
          contents = contents.replace(find, () => replace);
          changed.add(change);
        }
        return { contents, loader: "ts" };
      });
      onEnd(() => {
        const missed = changes.find((change) => !changed.has(change));
        if (missed !== undefined) throw new StaleMutant(`${name}: ${missed.file} is not part of the world`);
      });
    },
  };
}
