// npm run cost [-- --write]   what a stack costs a month, from calls, durations and memory measured in the local world, what template.yaml has
// standing, and the prices in prices.ts. With --write the table goes into README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { root } from "../build/entry-points.ts";
import { type Measured, measure } from "./measure.ts";
import { rows } from "./scenarios.ts";
import { tableOf, withTable } from "./table.ts";

/** A machine that does other things too is slower, never faster: the quickest of three. */
const quicker = (one: Measured, other: Measured): Measured => {
  const of = (run: keyof Measured) => (one[run].ms < other[run].ms ? one[run] : other[run]);
  return { zoomiesRun: of("zoomiesRun"), kiciRun: of("kiciRun"), helmrCycle: of("helmrCycle"), event: of("event") };
};

const measured = [await measure(), await measure(), await measure()].reduce(quicker);
const table = tableOf(rows(measured), measured);
console.log(table);
if (process.argv.includes("--write")) {
  writeFileSync(`${root}README.md`, withTable(readFileSync(`${root}README.md`, "utf8"), table));
}
process.exit(0);
