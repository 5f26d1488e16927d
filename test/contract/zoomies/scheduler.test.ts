import { afterEach, beforeEach, expect, test } from "vitest";
import { says } from "./notes.ts";
import { type ContractWorld, contractWorld, minute } from "./ways.ts";

let world: ContractWorld;
beforeEach(async () => {
  world = await contractWorld("in process");
  world.controller.addPool({ id: "pool_a" });
});
afterEach(() => world.close());

test(says("a pass that looked before a cordon places its runner after it", "staleSnapshot"), async () => {
  const { controller, hosts } = world;
  const { id } = controller.joinHost({ name: "i-1", capacity: 2 });
  controller.queueJobs("pool_a", 1, minute);
  const { place } = controller.beginPass();
  await hosts.cordon(id, true);
  expect(await hosts.runners(id)).toEqual([]);
  place();
  expect(await hosts.runners(id)).toMatchObject([{ state: "busy" }]);
  controller.queueJobs("pool_a", 1, minute);
  controller.pass();
  expect(await hosts.runners(id)).toHaveLength(1);
});

test(says("an idle runner takes a job though its host is cordoned", "idleTakesJobs"), async () => {
  const { controller, hosts } = world;
  const { id } = controller.joinHost({ name: "i-1", capacity: 2 });
  controller.addPool({ id: "pool_a", minRunners: 1 });
  controller.pass();
  await hosts.cordon(id, true);
  controller.queueJobs("pool_a", 1, minute);
  controller.handOut();
  const [runner] = await hosts.runners(id);
  expect(runner).toMatchObject({ state: "busy" });
  expect(await hosts.drain(runner?.id ?? "")).toBe("refused");
});

test(says("every pool that matches a host counts all its slots", "shared"), () => {
  const { controller } = world;
  controller.addPool({ id: "pool_b" });
  controller.joinHost({ name: "i-1", capacity: 2 });
  controller.queueJobs("pool_b", 2, minute);
  controller.pass();
  const [idle, working] = controller.pass();
  expect([idle?.currentCapacity, idle?.excess]).toEqual([2, 2]);
  expect([working?.currentCapacity, working?.excess]).toEqual([2, 0]);
});

test(
  says("a full host's slots count like free ones; a cordoned or silent host's do not", "currentCapacity"),
  async () => {
    const { controller, hosts } = world;
    const { id } = controller.joinHost({ name: "i-1", capacity: 2 });
    controller.joinHost({ name: "i-2", capacity: 2 });
    controller.queueJobs("pool_a", 4, 10 * minute);
    controller.pass();
    expect(controller.pass()[0]?.currentCapacity).toBe(4);
    await hosts.cordon(id, true);
    expect(controller.pass()[0]?.currentCapacity).toBe(2);
    controller.silence("i-2");
    world.clock.advance(90_000);
    expect(controller.pass()[0]?.currentCapacity).toBe(0);
  },
);

test(says("an instance's end deletes nothing in Zoomies", "neverDeletes"), async () => {
  world.controller.joinHost({ name: "i-1", capacity: 2 });
  world.controller.endMachine("i-1");
  world.clock.advance(60 * minute);
  expect(await world.hosts.hosts()).toMatchObject([{ name: "i-1", healthy: false }]);
});
