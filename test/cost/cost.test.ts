import { expect, test } from "vitest";
import { measure } from "../../infra/cost/measure.ts";
import { monthlyUsd, prices, type Usage } from "../../infra/cost/prices.ts";
import { rows } from "../../infra/cost/scenarios.ts";
import { tableOf, withTable } from "../../infra/cost/table.ts";
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

test("every price says where it was read", () => {
  for (const { source } of Object.values(prices)) expect(source).toMatch(/^https:\/\/aws\.amazon\.com\/.+\/pricing\//);
});

test("the table stands between its marks and nowhere else", () => {
  const text = "a\n<!-- cost: npm run cost -- --write -->\nold\n<!-- /cost -->\nb";
  const table = tableOf([{ what: "x", idle: { free: 1, full: 2 }, busy: { free: 3, full: 4 } }]);
  const written = withTable(text, table);
  expect(written).toContain("| x | 1.00 | 2.00 | 3.00 | 4.00 |");
  expect(written).not.toContain("old");
  expect(withTable(written, table)).toBe(written);
  expect(() => withTable("", table)).toThrow("no place");
});

test("idle costs less than 2 USD a month without Helmr and less than 3 with ticks, what is always free counted", async () => {
  const measured = await measure();
  // A busy machine's clock is no Lambda's: what counts here is calls and what stands.
  const steady = Object.fromEntries(
    Object.entries(measured).map(([name, run]) => [name, { ...run, ms: Math.min(run.ms, 300) }]),
  );
  const [alone, ticks, stream] = rows(steady as unknown as typeof measured);
  expect(alone?.idle.free).toBeLessThan(2);
  expect(ticks?.idle.free).toBeLessThan(3);
  expect(stream?.idle.free).toBeGreaterThan(ticks?.idle.free ?? 0);
});
