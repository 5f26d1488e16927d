import { expect, test } from "vitest";
import { planLines } from "../../infra/zoomies-cli/plan-lines.ts";
import { planGroups } from "../../lib/zoomies/plan.ts";
import { LifeWorld, verified } from "./life-world.ts";

async function idle(): Promise<LifeWorld> {
  const world = new LifeWorld(verified({ minSize: 1 }));
  world.cloud.setDesired("linux", 2);
  await world.minutes(10);
  world.clock.advance(60_000);
  return world;
}

test("a plan says what the next run would do, and does none of it", async () => {
  const world = await idle();
  const [before, mutations, calls] = [
    await world.record(),
    world.faults.mutations().length,
    world.zoomies.calls.length,
  ];
  const text = planLines(await planGroups(world.parts, world.life)).join("\n");
  expect(text).toContain("linux: desired 2 of 1 to 10, 2 instances");
  expect(text).toMatch(/cordon i-[0-9a-f]+: idle and not needed/);
  expect(text).toContain("not raised: no pool of this group asks for slots now");
  expect(await world.record()).toEqual(before);
  expect(world.faults.mutations()).toHaveLength(mutations);
  expect(world.zoomies.calls.slice(calls).filter((call) => !/^(hosts|pools|runners)/.test(call))).toEqual([]);
});

test("a plan says why not", async () => {
  const world = await idle();
  world.cloud.updateGroup("linux", { suspended: [] });
  expect(planLines(await planGroups(world.parts, world.life)).join("\n")).toContain("az_rebalance_active");
  world.zoomies.fault = () => "before";
  expect(planLines(await planGroups(world.parts, world.life)).join("\n")).toContain("Zoomies was not seen");
  expect(planLines(await planGroups(world.parts, undefined)).join("\n")).toContain("no address of Zoomies' API is set");
});
