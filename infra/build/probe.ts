import { execFileSync } from "node:child_process";

/** What a built function is like once Node has loaded it. */
export interface Probe {
  readonly exports: readonly string[];
  /** Node's own modules that are loaded after the import (`process.moduleLoadList`). */
  readonly modules: readonly string[];
  readonly peakMegabytes: number;
}

const PROBE = `
const exported = require(process.argv[1]);
const exports = Object.keys(exported).filter((name) => typeof exported[name] === "function");
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
console.log("\\n" + JSON.stringify({ exports, modules: process.moduleLoadList, peakMegabytes }));
`;

/**
 * Loads a built function in a process of its own, with nothing of ours in its environment but what the template gives it. Throws with
 * the child's own words when the import fails.
 */
export function probe(file: string, environment: Readonly<Record<string, string>>): Probe {
  const output = execFileSync(process.execPath, ["-e", PROBE, file], {
    env: {
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "AKIAPROBE",
      AWS_SECRET_ACCESS_KEY: "probe",
      ...environment,
    },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as Probe;
}
