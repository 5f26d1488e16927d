import { expect, test } from "vitest";
import { freshness, percentile, raiseLatencies } from "./measures.ts";

test("while an invocation lives, demand is answered by a raise within a second in the median and three at the 99th percentile", async () => {
  const latencies = [...(await raiseLatencies(1, 25)), ...(await raiseLatencies(2, 25))];
  expect(latencies).toHaveLength(50);
  expect(percentile(latencies, 0.5)).toBeLessThan(1_000);
  expect(percentile(latencies, 0.99)).toBeLessThan(3_000);
});

test.each(["growing", "full"] as const)(
  "capacity evidence is fresh nearly always in 20 minutes of late schedules, while the group is %s",
  async (phase) => {
    for (const seed of [1, 2]) expect((await freshness(seed, phase)).byAge).toBeGreaterThanOrEqual(0.99);
  },
);
