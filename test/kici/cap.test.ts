import { afterEach, expect, test } from "vitest";
import { type KiciWorld, scaler, startKici, tagOf } from "./kici-world.ts";

let world: KiciWorld;
afterEach(() => world.close());

test("100 agents at once, each sent three times, cap 40: 40 launches, and every answer is consistent", async () => {
  world = await startKici([{ name: scaler, maxInstances: 40 }, { name: "earlier" }]);
  // What a process loads and compiles with its first request is no part of a burst.
  for (const agentId of ["x", "y"]) await world.up(world.scaleUp({ agentId, scalerName: "earlier" }));
  const before = world.launches();
  const agents = Array.from({ length: 100 }, (_, index) => world.scaleUp({ agentId: `agent-${index}` }));
  const replies = await Promise.all(
    agents.map((payload) => Promise.all([world.up(payload), world.up(payload), world.up(payload)])),
  );
  const statuses = replies.map((three) => three.map(({ status }) => status).sort());
  const served = statuses.filter((three) => three.includes(201));

  expect(world.launches() - before).toBe(40);
  const running = world.alive().filter((instance) => tagOf(instance, "kici-scaler") === scaler);
  expect(new Set(running.map((instance) => tagOf(instance, "kici-agent-id"))).size).toBe(40);
  expect(served).toHaveLength(40);
  for (const three of served) {
    expect(three.filter((status) => status === 201)).toHaveLength(1);
    expect(three.filter((status) => status !== 201 && status !== 200 && status !== 409)).toEqual([]);
  }
  expect(statuses.filter((three) => !three.includes(201)).flat()).toEqual(Array.from({ length: 180 }, () => 429));
});

test("a place is free again once its agent was torn down, and for nobody before", async () => {
  world = await startKici({ name: scaler, maxInstances: 1 });
  expect((await world.up(world.scaleUp({ agentId: "a" }))).status).toBe(201);
  const refused = await world.up(world.scaleUp({ agentId: "b" }));
  expect(refused).toMatchObject({ status: 429, answer: { code: "scaler_at_cap" }, retryAfter: 30 });
  await world.down(world.scaleDown({ agentId: "a" }));
  expect((await world.up(world.scaleUp({ agentId: "b" }))).status).toBe(201);
});

test("a launch that EC2 refused for good takes no place", async () => {
  world = await startKici({ name: scaler, maxInstances: 1 });
  world.cloud.setCapacity("*", "*", "none");
  expect(await world.up(world.scaleUp({ agentId: "a" }))).toMatchObject({
    status: 503,
    answer: { code: "InsufficientInstanceCapacity" },
  });
  world.cloud.setCapacity("*", "*", undefined);
  world.advance(181_000);
  expect((await world.up(world.scaleUp({ agentId: "b" }))).status).toBe(201);
});

test("two architectures of one scaler have a cap each", async () => {
  world = await startKici([
    { name: scaler, maxInstances: 1 },
    {
      name: scaler,
      template: "arm",
      instanceTypes: ["m7g.large"],
      maxInstances: 1,
      data: { ImageId: "ami-0fedcba9876543210" },
    },
  ]);
  const labels = ["default", "arm64"];
  expect((await world.up(world.scaleUp({ agentId: "a" }))).status).toBe(201);
  expect((await world.up(world.scaleUp({ agentId: "b", labels }))).status).toBe(201);
  expect((await world.up(world.scaleUp({ agentId: "c" }))).status).toBe(429);
  expect((await world.up(world.scaleUp({ agentId: "d", labels }))).status).toBe(429);
  expect(world.alive().map(({ Architecture }) => Architecture)).toEqual(["x86_64", "arm64"]);
});
