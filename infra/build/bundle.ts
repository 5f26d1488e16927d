// npm run build [-- NAME ...]   bundles every function, or those named, into .build/NAME/NAME.cjs; the source map goes beside the folder.
// With --into FOLDER (SAM's makefile build) one bundle goes there instead, and a name may be a logical id of the template.
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundleFunction } from "./bundle-function.ts";
import { contentsOf } from "./contents.ts";
import { functionNames, nameOfLogicalId, root } from "./entry-points.ts";

const { values, positionals } = parseArgs({ options: { into: { type: "string" } }, allowPositionals: true });
const known = functionNames();
const wanted = positionals.length === 0 ? known : positionals.map(nameOfLogicalId);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such function: ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
  process.exit(1);
}
if (values.into !== undefined && wanted.length !== 1) {
  console.error("--into takes exactly one function.");
  process.exit(1);
}

for (const name of wanted) {
  const folder = values.into ?? `${root}.build/${name}`;
  // Ours to empty; SAM's folder is new for each build.
  if (values.into === undefined) rmSync(folder, { recursive: true, force: true });
  const { bytes, metafile } = await bundleFunction(`${root}functions/${name}.ts`, folder, `${root}.build`);
  console.log(`${name}.cjs  ${bytes.toLocaleString("en")} bytes`);
  for (const share of contentsOf(metafile)) {
    console.log(`  ${share.bytes.toLocaleString("en").padStart(9)}  ${share.from}`);
  }
}
