import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../infra/build/entry-points.ts";
import { runCommand } from "../../infra/cli/run-command.ts";
import { cost } from "../../infra/cost/command.ts";
import { measure } from "../../infra/cost/measure.ts";
import { monthlyUsd, prices, type Usage } from "../../infra/cost/prices.ts";
import { rows } from "../../infra/cost/scenarios.ts";
import { blockOf, tableOf, withTable, writtenMs } from "../../infra/cost/table.ts";
import { monthOf, type Run } from "../../infra/cost/usage.ts";

const nothing = Object.fromEntries(Object.keys(prices).map((name) => [name, 0])) as Record<keyof Usage, number>;
const standing = { secrets: 0, alarmMetrics: 0, dashboards: 0, customMetrics: 0, polledQueues: 0 };

test("a month is quantity times price, and what is always free is taken off first", () => {
  expect(monthlyUsd({ ...nothing, secrets: 4 }, true)).toBeCloseTo(1.6);
  expect(monthlyUsd({ ...nothing, lambdaRequests: 1e6 }, true)).toBe(0);
  expect(monthlyUsd({ ...nothing, lambdaRequests: 3e6 }, true)).toBeCloseTo(0.4);
  expect(monthlyUsd({ ...nothing, lambdaRequests: 3e6 }, false)).toBeCloseTo(0.6);
});

test("a run is billed for its time and for what its calls take longer in AWS than here, in its memory", () => {
  const run: Run = { ms: 100, memoryMegabytes: 512, reads: 2, writes: 1, secretReads: 0, calls: 10, logBytes: 500 };
  const month = monthOf(standing, [{ run, times: 1_000, by: "api" }]);
  expect(month).toMatchObject({
    lambdaRequests: 1_000,
    apiRequests: 1_000,
    tableReads: 2_000,
    tableWrites: 1_000,
    scheduledRuns: 0,
  });
  expect(month.lambdaGbSeconds).toBeCloseTo(1_000 * 0.25 * 0.5);
  expect(monthOf({ ...standing, polledQueues: 1 }, []).queueRequests).toBe(648_000);
});

test("a mistyped option is told before anything is measured", async () => {
  const said: string[] = [];
  const print = (line: string) => void said.push(line);
  const parts = { variables: {}, world: () => undefined, print, printError: print };
  expect(await runCommand(cost, ["--wirte"], parts)).toBe(2);
  expect(said.join("\n")).toContain("--wirte");
});

test("every price says where it was seen and of when, or that it was not verified, and names the page of AWS's that decides", () => {
  for (const { page, seen } of Object.values(prices)) {
    expect(page).toMatch(/^https:\/\/aws\.amazon\.com\/.+\/pricing\//);
    expect(seen).toMatch(/\b20\d\d\b|not verified/);
  }
});

test("the table stands between its marks and nowhere else", () => {
  const text = "a\n<!-- cost: npm run cost -- --write -->\nold\n<!-- /cost -->\nb";
  const run: Run = { ms: 99.6, memoryMegabytes: 512, reads: 2, writes: 1, secretReads: 0, calls: 10, logBytes: 500 };
  const measured = { zoomiesRun: run, kiciRun: { ...run, ms: 7 }, helmrCycle: run, event: run };
  const table = tableOf([{ what: "x", idle: { free: 1, full: 2 }, busy: { free: 3, full: 4 } }], measured);
  const written = withTable(text, table);
  expect(written).toContain("| x | 1.00 | 2.00 | 3.00 | 4.00 |");
  expect(written).not.toContain("old");
  expect(withTable(written, table)).toBe(written);
  expect(writtenMs(written)).toEqual({ zoomiesRun: 100, kiciRun: 7, helmrCycle: 100, event: 100 });
  expect(() => withTable("", table)).toThrow("no place");
});

test("the README's table is what today's calls, template and prices come to, and keeps what was promised", async () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const measured = await measure();
  // A busy machine's clock says nothing new: how long each run took is the README's own, everything else is measured here.
  const ms = writtenMs(readme);
  const asWritten = {
    zoomiesRun: { ...measured.zoomiesRun, ms: ms.zoomiesRun },
    kiciRun: { ...measured.kiciRun, ms: ms.kiciRun },
    helmrCycle: { ...measured.helmrCycle, ms: ms.helmrCycle },
    event: { ...measured.event, ms: ms.event },
  };
  const table = rows(asWritten);
  const [written, now] = [words(blockOf(readme)), words(tableOf(table, asWritten))];
  expect(written.filter(isNoNumber), "npm run cost -- --write").toEqual(now.filter(isNoNumber));
  now.forEach((word, index) => {
    // A line of a log may be a letter longer, which is less than a cent.
    if (!isNoNumber(word)) expect(Number(written[index]), "npm run cost -- --write").toBeCloseTo(Number(word), 1);
  });
  const [alone, ticks, stream] = table;
  expect(alone?.idle.free).toBeLessThan(2);
  expect(ticks?.idle.free).toBeLessThan(3);
  expect(stream?.idle.free).toBeGreaterThan(ticks?.idle.free ?? 0);
});

/** Without the padding that makes a table's columns straight. */
const words = (text: string) => text.split(/[\s|]+/).filter((word) => !/^-*$/.test(word));
const isNoNumber = (word: string) => Number.isNaN(Number(word));
