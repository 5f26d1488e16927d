// The last step of npm test: the AWS calls that each function made in the whole suite against its role in template.yaml. Nothing was called that is
// not allowed, and nothing is allowed that is never called.
import { resourcesWith } from "../build/policies.ts";
import { disagreements } from "./disagreements.ts";
import { callsSeen } from "./made-calls.ts";

const calls = callsSeen();
const found = disagreements(calls, resourcesWith());
for (const line of found) console.error(line);
const made = [...calls.values()].reduce((sum, { size }) => sum + size, 0);
console.log(`${made} different calls of ${calls.size} functions were seen; ${found.length} disagree with their roles.`);
process.exitCode = found.length === 0 ? 0 : 1;
