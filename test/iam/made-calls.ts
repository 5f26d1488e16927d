import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { root } from "../../infra/build/entry-points.ts";

/** One file for each process that runs tests, one line for each call that a function was seen to make. */
const folder = `${root}.local/aws-calls/`;
const seen = new Set<string>();

/** As IAM writes the actions of the simulated services. */
const iamServices: Readonly<Record<string, string>> = { "auto-scaling": "autoscaling" };

/** Notes that a function made this call, whatever became of it. */
export function madeCall(functionId: string, service: string, operation: string): void {
  const line = `${functionId} ${iamServices[service] ?? service}:${operation}\n`;
  if (seen.has(line)) return;
  seen.add(line);
  mkdirSync(folder, { recursive: true });
  appendFileSync(`${folder}${process.pid}`, line);
}

/** Every call that the tests since {@link forgetCalls} saw, by function. */
export function callsSeen(): Map<string, Set<string>> {
  const calls = new Map<string, Set<string>>();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    for (const line of readFileSync(`${folder}${file}`, "utf8").split("\n").filter(Boolean)) {
      const [functionId = "", action = ""] = line.split(" ");
      calls.set(functionId, (calls.get(functionId) ?? new Set()).add(action));
    }
  }
  return calls;
}

export const forgetCalls = (): void => rmSync(folder, { recursive: true, force: true });
