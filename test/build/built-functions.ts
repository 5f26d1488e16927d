import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { type Bundle, bundleFunction } from "../../infra/build/bundle-function.ts";
import { functionNames, root } from "../../infra/build/entry-points.ts";

export interface BuiltFunctions {
  readonly bundles: ReadonlyMap<string, Bundle>;
  readonly remove: () => Promise<void>;
}

/** Builds every function as `npm run build` does, into a folder of its own, so that tests never look at an earlier build. */
export async function buildFunctions(): Promise<BuiltFunctions> {
  const folder = await mkdtemp(`${tmpdir()}/drover-build-`);
  const bundles = new Map<string, Bundle>();
  for (const name of functionNames()) {
    bundles.set(name, await bundleFunction(`${root}functions/${name}.ts`, `${folder}/${name}`, folder));
  }
  return { bundles, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The named bundle; throws when there is no such function. */
export function bundleOf({ bundles }: BuiltFunctions, name: string): Bundle {
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`functions/${name}.ts was not built.`);
  return bundle;
}
