import { expect, test } from "vitest";
import { inProcessControlPlane } from "../../../infra/local/helmr/in-process.ts";
import { activeHost, item, observation, setting } from "./setting.ts";

test("1,000 hosts in 64 pools are listed and planned in milliseconds", async () => {
  const world = setting();
  const pools = [world.pool];
  while (pools.length < 64) pools.push(world.model.addPool(world.group.id, `pool-${pools.length}`));
  for (let index = 0; index < 1_000; index += 1) activeHost(world, `i-${index}`, pools[index % 64]);
  for (let index = 0; index < 2_000; index += 1) world.model.demand.enqueue(world.group.id, item());
  const port = inProcessControlPlane(world.model);
  const times: number[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    const body = await observation(world, port);
    const began = performance.now();
    await port.hosts({ worker_group_id: world.group.id, statuses: ["active"] });
    await port.plan(world.group.id, body);
    times.push(performance.now() - began);
  }
  // Some 15 ms on a quiet machine; the bound leaves room for a busy one.
  expect(times.sort((a, b) => a - b)[3]).toBeLessThan(150);
});
