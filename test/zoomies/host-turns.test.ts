import { describe, expect, test } from "vitest";
import { LifeWorld, verified } from "./life-world.ts";

const names = Array.from({ length: 20 }, (_, index) => `group-${String(index).padStart(2, "0")}`);

/** Twenty groups with one idle host each, and a Zoomies that takes its time for every call. */
async function fleet(): Promise<LifeWorld> {
  const world = new LifeWorld(
    ...names.map((name, index) => verified({ name, pools: [`pool_${index}`], hooks: false })),
  );
  for (const name of names) world.cloud.setDesired(name, 1);
  for (let minute = 0; minute < 2; minute += 1) {
    world.clock.advance(60_000);
    world.cloud.settle();
    for (const name of names) await world.boot(name);
    await world.run();
  }
  expect(world.zoomies.rows.size).toBe(names.length);
  return world;
}

const total = (world: LifeWorld) => names.reduce((sum, name) => sum + world.desired(name), 0);

describe("a run that has no time for all groups", () => {
  test("leaves off where the next one begins, and every group's idle host leaves in the end", async () => {
    const world = await fleet();
    // Two groups' worth of calls use a run's time up.
    world.zoomies.meanwhile = (call) => {
      if (call.startsWith("host ")) world.clock.advance(2_000);
    };
    let cutShort = 0;
    for (let run = 0; run < 80 && total(world) > 0; run += 1) {
      world.clock.advance(60_000);
      world.cloud.settle();
      world.hush();
      const { left } = await world.run(4_000);
      if (left > 0) cutShort += 1;
    }
    expect(cutShort).toBeGreaterThan(5);
    expect(total(world)).toBe(0);
  });

  test("is not what one sick group makes of it: the others are served in the same run", async () => {
    const world = await fleet();
    world.travel = async (call, effect) => {
      // One group's hosts are odd in Zoomies' answers about them.
      return effect().then((answer) => {
        if (call === "zoomies host" && (answer as { name?: string } | undefined)?.name === sick) throw new Error("odd");
        return answer;
      });
    };
    const sick = world.instances("group-07")[0]?.id;
    for (let run = 0; run < 20; run += 1) {
      world.clock.advance(60_000);
      world.cloud.settle();
      world.hush();
      const { failed } = await world.run();
      expect(failed).toBeLessThanOrEqual(1);
    }
    expect(names.filter((name) => world.desired(name) > 0)).toEqual(["group-07"]);
  });
});

test("two runs at once: one holds a group's lease, the other leaves it (cases.md 54)", async () => {
  const world = await fleet();
  for (let run = 0; run < 20; run += 1) {
    world.clock.advance(60_000);
    world.cloud.settle();
    world.hush();
    const runs = await Promise.all([world.run(), world.run()]);
    expect(runs.reduce((sum, { failed }) => sum + failed, 0)).toBe(0);
  }
  expect(total(world)).toBe(0);
  const ended = world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup");
  expect(ended).toBe(names.length);
});
