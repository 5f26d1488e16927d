import { mkdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { clientVersionOnly } from "./client-version-only.ts";
import { ec2LiteralKeys } from "./ec2-literal-keys.ts";
import { root } from "./entry-points.ts";
import { environmentCredentials } from "./environment-credentials.ts";
import { noEndpointDiscovery } from "./no-endpoint-discovery.ts";
import { noEventStreams } from "./no-event-streams.ts";
import { noModelledErrors } from "./no-modelled-errors.ts";

export interface Bundle {
  /** The one file that is deployed. */
  readonly file: string;
  readonly bytes: number;
  /** esbuild's account of what went in. */
  readonly metafile: Metafile;
}

/**
 * How every function is bundled: one minified CommonJS file, because `import "node:http"` in an ES module loads undici, 50 ms of cold
 * start; `module` before `main`, because only ES modules are tree-shaken.
 */
export const bundleOptions = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node24",
  mainFields: ["module", "main"],
  // `import("node:http")` inside the SDK becomes require(), which does not load undici either.
  supported: { "dynamic-import": false },
  minify: true,
  treeShaking: true,
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
  plugins: [
    environmentCredentials,
    clientVersionOnly,
    noEventStreams,
    noModelledErrors,
    noEndpointDiscovery,
    ec2LiteralKeys,
  ],
} satisfies BuildOptions;

/**
 * Bundles one function into `FOLDER/NAME.cjs` and leaves nothing else there. The ending matters: a CommonJS `.js` under
 * `"type": "module"` imports without exports and without an error.
 *
 * @param entry the function's source file
 * @param folder where the bundle goes
 * @param maps where the source map goes; a map that Lambda can see costs 30 to 100 ms at the first stack trace
 */
export async function bundleFunction(entry: string, folder: string, maps: string): Promise<Bundle> {
  const name = basename(entry, ".ts");
  const file = `${folder}/${name}.cjs`;
  const result = await build({
    ...bundleOptions,
    entryPoints: [entry],
    outfile: file,
    sourcemap: "external",
    absWorkingDir: root,
  });
  await mkdir(folder, { recursive: true });
  await mkdir(maps, { recursive: true });
  let bytes = 0;
  for (const { path, contents } of result.outputFiles) {
    if (path.endsWith(".map")) {
      await writeFile(`${maps}/${basename(path)}`, contents);
    } else {
      await writeFile(file, contents);
      bytes = contents.length;
    }
  }
  return { file, bytes, metafile: result.metafile };
}
