import { afterEach, expect, test } from "vitest";
import { startWorld, type TestWorld } from "../world.ts";
import { trailOf } from "./first-decisions.ts";

const pool = "pool_123";
let world: TestWorld;
afterEach(() => world.close());

/** A demand that nobody meets for as long as it counts. */
async function unmet(mode: string, tags: Record<string, string> = {}, group = {}): Promise<void> {
  const fleet = { name: "linux", pools: [pool], slotsPerHost: 4, tags, group };
  world = await startWorld({ fleets: [fleet], parameters: { Mode: mode } });
  await world.send({ pool, capacity: 0, slots: 3 });
  for (let minute = 0; minute < 17; minute += 1) {
    world.advance(60_000);
    expect((await world.reconcile()).outcome.kind).toBe("answered");
  }
  const last = (await trailOf(world, "linux")).at(-1);
  expect(last).toMatchObject({ reasons: ["demand grew too old before it was met"], outcome: "none" });
}

const lost = () => world.lines.filter((line) => line.includes('"DemandLost"'));

test("a demand that a stack which acts could not meet is lost: one metric, once", async () => {
  await unmet("act", {}, { suspended: ["Launch"] });
  expect(lost()).toHaveLength(1);
});

test("a demand that Drover only observed is not lost by it, and nobody is woken", async () => {
  await unmet("observe");
  expect(lost()).toEqual([]);
});

test("nor is one of a paused group", async () => {
  await unmet("act", { "drover:paused": "for a while" });
  expect(lost()).toEqual([]);
});
