import type { Row } from "./scenarios.ts";

const begin = "<!-- cost: npm run cost -- --write -->";
const end = "<!-- /cost -->";

/** Markdown: USD a month, idle and at 1,000 events a day, with and without the always-free tier. */
export function tableOf(rows: readonly Row[]): string {
  const usd = (value: number) => value.toFixed(2);
  const lines = rows.map(
    ({ what, idle, busy }) =>
      `| ${what} | ${usd(idle.free)} | ${usd(idle.full)} | ${usd(busy.free)} | ${usd(busy.full)} |`,
  );
  return [
    "| USD a month | idle | idle, no free tier | 1,000 events a day | the same, no free tier |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

/** The text with this table between its marks. Throws when they are missing. */
export function withTable(text: string, table: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no place for the table: ${begin} ... ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
}
