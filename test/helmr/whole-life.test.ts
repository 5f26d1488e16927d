import { expect, test } from "vitest";
import { FleetWorld } from "./fleet-world.ts";

test("a Worker group grows with its work and goes back to its minimum, one proven host at a time", async () => {
  const world = await new FleetWorld().seeded();
  expect(world.asg()).toMatchObject({ desired: 1, states: ["InService"] });
  expect(world.hostsIn("active")).toHaveLength(1);

  world.submit(10, 120);
  await world.until(() => world.hostsIn("active").length === 3);
  await world.until(() => world.workload.waiting === 0);
  expect(world.asg().desired).toBe(3);

  await world.until(() => world.asg().desired === 1 && world.asg().ids.length === 1, { within: 3_600 });
  await world.pass(60, 5);
  expect(world.asg()).toMatchObject({ desired: 1, states: ["InService"] });
  expect(world.hostsIn("lost")).toHaveLength(2);
  expect(world.model.unsettledOperations(world.group.id)).toEqual([]);
  expect(world.mutations().filter((name) => name.startsWith("Terminate"))).toHaveLength(2);
});
