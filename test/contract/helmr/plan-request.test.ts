import { describe, expect, test } from "vitest";
import { activeHost, connected, observation, setting, transports } from "./setting.ts";

describe.each(transports)("a plan request %s (notes 1, row 3)", (_name, connect) => {
  test.each([
    ["no pool", 0],
    ["65 pools", 65],
  ])("%s is refused", async (_case, count) => {
    const world = setting();
    activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const body = await observation(world, port);
      const [row] = body.pools;
      const pools = Array.from({ length: count }, (_, index) => ({
        ...(row ?? { max_additional_workers: 0, active_workers: 0, registering_workers: 0 }),
        pool_id: `019a0000-0000-7000-8000-${String(index).padStart(12, "0")}`,
      }));
      await expect(port.plan(world.group.id, { ...body, pools })).rejects.toMatchObject({ status: 400 });
    });
  });

  test.each([
    ["more than 1,000 additional hosts", { max_additional_workers: 1_001 }],
    ["a negative count", { active_workers: -1 }],
    ["a pool of nobody", { pool_id: "019a0000-0000-7000-8000-000000000001" }],
  ])("%s is refused", async (_case, change) => {
    const world = setting();
    activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const body = await observation(world, port);
      const pools = body.pools.map((row) => ({ ...row, ...change }));
      await expect(port.plan(world.group.id, { ...body, pools })).rejects.toMatchObject({ status: 400 });
    });
  });

  test("a pool twice, or a pending one, is refused", async () => {
    const world = setting();
    activeHost(world, "i-a");
    const pending = world.model.addPool(world.group.id, "pending");
    await connected(connect, world, async (port) => {
      const body = await observation(world, port);
      const twice = { ...body, pools: [...body.pools, ...body.pools] };
      const withPending = { ...body, pools: body.pools.map((row) => ({ ...row, pool_id: pending.id })) };
      for (const request of [twice, withPending]) {
        await expect(port.plan(world.group.id, request)).rejects.toMatchObject({ status: 400 });
      }
    });
  });
});
