import { expect, test } from "vitest";
import { helmrRun } from "../../lib/helmr/helmr-run.ts";
import { stack } from "./fleet-parts.ts";
import { FleetWorld } from "./fleet-world.ts";

const plans = (world: FleetWorld) => world.helmr.calls.filter(({ operation }) => operation === "plan");

test("a Worker group that Helmr does not know fails by itself and delays no other", async () => {
  const world = await new FleetWorld().seeded();
  world.cloud.createGroup("asg-lost", {
    newInstancesProtected: true,
    tags: { "drover:stack": stack, "drover:helmr-group": "nobody", "drover:helmr-pool": "x" },
  });
  world.submit(10, 600);
  expect(await world.run(60_000)).toMatchObject({ groups: 2, served: 1, failed: 1 });
  expect(world.asg().desired).toBe(3);
});

test("without a hint a cycle comes every 15 seconds, and evidence stays fresh throughout", async () => {
  const world = await new FleetWorld().seeded();
  world.feed.state = "silent";
  const from = world.clock.now();
  const before = plans(world).length;
  const run = await world.run(150_000);
  expect(run.cycles).toBe(10);
  expect(plans(world).length - before).toBe(10);
  expect(world.model.freshShare(world.group.id, from, world.clock.now())).toBe(1);
});

test("no cycle begins after the budget, or when little of the function's own time is left", async () => {
  const world = await new FleetWorld().seeded();
  const began = world.clock.now();
  await world.drive(helmrRun(world.parts(), { budgetMs: 180_000, remainingMs: () => 65_000 }));
  expect(world.clock.now() - began).toBeLessThanOrEqual(46_000);
});

test("a newcomer waits twenty seconds for a holder that is stuck, and leaves it the group", async () => {
  const world = await new FleetWorld().seeded();
  const dead = world.parts("dead");
  // Holds, and never lets go: its lease outlives the newcomer's patience.
  await dead.leases.take("helmr#default", "dead", 120_000);
  const began = world.clock.now();
  const run = await world.run(180_000, "newcomer");
  expect(run).toMatchObject({ served: 0, held: 1, cycles: 0 });
  expect(world.clock.now() - began).toBeLessThanOrEqual(22_000);
});

test("a holder that died is succeeded as soon as its lease is over", async () => {
  const world = await new FleetWorld().seeded();
  await world.parts("dead").leases.take("helmr#default", "dead", 12_000);
  expect(await world.run(60_000, "newcomer")).toMatchObject({ served: 1, held: 0 });
});

test("a run without any declared group opens no stream and asks Helmr nothing", async () => {
  const world = new FleetWorld({ pools: [] });
  expect(await world.run(60_000)).toEqual({ groups: 0, served: 0, held: 0, failed: 0, cycles: 0 });
  expect(world.helmr.calls).toEqual([]);
});
