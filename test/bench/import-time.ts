import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { templateFunctions } from "../../infra/build/template-functions.ts";
import { type BuiltFunctions, bundleOf } from "../build/built-functions.ts";

/** Median milliseconds that importing a built function takes, and how often the base's median goes into it. */
export interface ImportTime {
  readonly name: string;
  readonly bytes: number;
  readonly importMs: number;
  readonly ratio: number;
}

const CHILD = `
const before = performance.now();
require(process.argv[1]);
process.stdout.write(String(performance.now() - before), () => process.exit(0));
`;

/** Each round imports every function once, in a process of its own, so that whatever else the machine does falls on all alike. */
export async function importTimes(
  built: BuiltFunctions,
  base: string,
  names: readonly string[],
  samples = 21,
): Promise<ImportTime[]> {
  const all = [base, ...names];
  const taken = new Map<string, number[]>(all.map((name) => [name, []]));
  // One round for the disk cache, not counted.
  for (let round = 0; round <= samples; round += 1) {
    for (const name of all) {
      const ms = await importOnce(built, name);
      if (round > 0) taken.get(name)?.push(ms);
    }
  }
  const medianOf = (name: string) => median(taken.get(name) ?? []);
  return names.map((name) => ({
    name,
    bytes: bundleOf(built, name).bytes,
    importMs: medianOf(name),
    ratio: medianOf(name) / medianOf(base),
  }));
}

async function importOnce(built: BuiltFunctions, name: string): Promise<number> {
  const environment = templateFunctions().find(({ module }) => module === name)?.environment ?? {};
  const credentials = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKIABENCH", AWS_SECRET_ACCESS_KEY: "bench" };
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", CHILD, bundleOf(built, name).file], {
    env: { ...credentials, ...environment },
  });
  return Number(stdout);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
