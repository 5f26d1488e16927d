import type { Measured } from "./measure.ts";
import type { Row } from "./scenarios.ts";

const begin = "<!-- cost: npm run cost -- --write -->";
const end = "<!-- /cost -->";

/** How each measured run is called, in the order in which the README has them. */
const names: Readonly<Record<keyof Measured, string>> = {
  zoomiesRun: "a quiet minute of Zoomies",
  kiciRun: "a run of KiCI's reaper",
  helmrCycle: "a look at Helmr",
  event: "an event",
};
const runs = Object.keys(names) as (keyof Measured)[];

/** Markdown: USD a month, idle and at 1,000 events a day, with and without the always-free tier; and what it was computed from. */
export function tableOf(rows: readonly Row[], measured: Measured): string {
  const usd = (value: number) => value.toFixed(2);
  const lines = rows.map(
    ({ what, idle, busy }) =>
      `| ${what} | ${usd(idle.free)} | ${usd(idle.full)} | ${usd(busy.free)} | ${usd(busy.full)} |`,
  );
  const figures = runs.map((run) => {
    const { ms, calls, reads, writes } = measured[run];
    return `${names[run]} ${Math.round(ms)} ms and ${calls} calls, ${reads} reads and ${writes} writes of the ledger among them`;
  });
  return [
    "| USD a month | idle | idle, no free tier | 1,000 events a day | the same, no free tier |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
    "",
    `Measured in the local world: ${figures.join("; ")}.`,
  ].join("\n");
}

/** Milliseconds by run, as the text between the marks has them. Throws when one is missing. */
export function writtenMs(text: string): Readonly<Record<keyof Measured, number>> {
  const block = blockOf(text);
  const of = (run: keyof Measured): number => {
    const [, ms] = new RegExp(`${names[run]} (\\d+) ms`).exec(block) ?? [];
    if (ms === undefined)
      throw new Error(`README.md does not say how long ${names[run]} took: npm run cost -- --write`);
    return Number(ms);
  };
  return { zoomiesRun: of("zoomiesRun"), kiciRun: of("kiciRun"), helmrCycle: of("helmrCycle"), event: of("event") };
}

/** The text with this table between its marks. Throws when they are missing. */
export function withTable(text: string, table: string): string {
  const [from, to] = placeOf(text);
  return `${text.slice(0, from)}\n\n${table}\n\n${text.slice(to)}`;
}

/** What stands between the marks. Throws when they are missing. */
export function blockOf(text: string): string {
  return text.slice(...placeOf(text)).trim();
}

function placeOf(text: string): [from: number, to: number] {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no place for the table: ${begin} ... ${end}`);
  return [from + begin.length, to];
}
