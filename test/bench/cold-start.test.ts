import { afterAll, beforeAll, expect, test } from "vitest";
import { type BenchWorld, startBenchWorld } from "./bench-world.ts";
import { coldStartRow, compareColdStarts, signedDemand } from "./cold-start.ts";

let world: BenchWorld;
beforeAll(async () => {
  world = await startBenchWorld();
});
afterAll(() => world.close());

test("our webhook and its hand-written floor do the same job, and are measured in turn", async () => {
  const ours = await world.contestant("webhook", "functions/zoomies-webhook.ts");
  const floor = await world.contestant("floor", "test/bench/floor/webhook.ts");
  const rows = await compareColdStarts(ours, floor, { samples: 3 });
  // Four rounds, the last of which asked for 12 + 3 slots: 4 hosts of 4.
  expect(world.cloud.group("webhook-hosts")?.DesiredCapacity).toBe(4);
  expect(world.cloud.group("floor-hosts")?.DesiredCapacity).toBe(4);
  for (const row of rows) {
    expect(row.samples).toBe(3);
    expect(row.importMs).toBeGreaterThan(0);
    expect(row.totalMs).toBeGreaterThan(row.importMs);
  }
  expect(coldStartRow(rows)).toMatch(
    /^webhook against floor, median of 3 fresh processes each; import [\d.]+ ms against/,
  );
});

test("a request that is refused is no sample", async () => {
  const floor = await world.contestant("stranger", "test/bench/floor/webhook.ts");
  const forged = { ...floor, event: () => signedDemand("another secret", "stranger", { capacity: 0, required: 1 }) };
  await expect(compareColdStarts(forged, floor, { samples: 1 })).rejects.toThrow(
    "stranger answered 401 instead of 204",
  );
});
