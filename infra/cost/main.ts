// npm run cost [-- --write]   what a stack costs a month, from calls, durations and memory measured in the local world, what template.yaml has
// standing, and the prices in prices.ts. With --write the table goes into README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { root } from "../build/entry-points.ts";
import { measure } from "./measure.ts";
import { rows } from "./scenarios.ts";
import { tableOf, withTable } from "./table.ts";

const measured = await measure();
const table = tableOf(rows(measured));
for (const [what, run] of Object.entries(measured)) {
  const { ms, calls, reads, writes, secretReads, logBytes } = run;
  console.log(
    `${what}: ${ms.toFixed(0)} ms, ${calls} calls, ${reads} reads, ${writes} writes, ${secretReads} secrets, ${logBytes} bytes of log`,
  );
}
console.log(table);
if (process.argv.includes("--write")) {
  writeFileSync(`${root}README.md`, withTable(readFileSync(`${root}README.md`, "utf8"), table));
}
process.exit(0);
