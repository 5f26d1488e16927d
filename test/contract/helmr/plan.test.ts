import { describe, expect, test } from "vitest";
import type { Plan } from "../../../lib/helmr/protocol.ts";
import {
  activeHost,
  connected,
  item,
  observation,
  occupy,
  registeringHost,
  setting,
  template,
  transports,
} from "./setting.ts";

const onlyPool = (plan: Plan) => {
  const [pool] = plan.pools;
  if (pool === undefined || plan.pools.length !== 1) throw new Error("the plan has not one pool");
  return pool;
};

describe.each(transports)("the plan %s (contract: Resolve and plan; notes 3)", (_name, connect) => {
  test("work that fits nothing existing opens new hosts of the pool's own size", async () => {
    const world = setting();
    activeHost(world, "i-a");
    for (let index = 0; index < 9; index += 1) world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port));
      expect(onlyPool(plan)).toMatchObject({
        recommended_additional_workers: 2,
        compatible_queued_items: 9,
        active_workers: 1,
        saturated: false,
      });
      expect(plan).toMatchObject({ complete: true, unmatched_demand: [], group_status: "active" });
    });
  });

  test("it is the same deficit every cycle until a new host is active: registering hosts supply nothing", async () => {
    const world = setting();
    activeHost(world, "i-a");
    for (let index = 0; index < 5; index += 1) world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const ask = async () => onlyPool(await port.plan(world.group.id, await observation(world, port)));
      expect(await ask()).toMatchObject({ recommended_additional_workers: 1, registering_workers: 0 });
      const next = registeringHost(world, "i-b");
      expect(await ask()).toMatchObject({ recommended_additional_workers: 1, registering_workers: 1 });
      world.model.workers.activate(next.id, 1, template);
      expect(await ask()).toMatchObject({ recommended_additional_workers: 0, active_workers: 2 });
    });
  });

  test("a host whose worker restarted supplies nothing until it is active again", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    world.model.demand.enqueue(world.group.id, item());
    world.model.workers.authenticate(host.id);
    await connected(connect, world, async (port) => {
      const ask = async () => onlyPool(await port.plan(world.group.id, await observation(world, port)));
      expect(await ask()).toMatchObject({ recommended_additional_workers: 1, active_workers: 0 });
      world.model.workers.activate(host.id, 2, template);
      expect(await ask()).toMatchObject({ recommended_additional_workers: 0, active_workers: 1 });
    });
  });

  test("zero hosts and one queued build recommend one: a group grows from nothing", async () => {
    const world = setting();
    const sealing = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.lost(sealing.id);
      world.model.demand.enqueue(world.group.id, item({ kind: "build" }));
      const pool = onlyPool(await port.plan(world.group.id, await observation(world, port)));
      expect(pool).toMatchObject({ active_workers: 0, recommended_additional_workers: 1 });
    });
  });

  test("at its headroom a pool is saturated and the rest is unmatched", async () => {
    const world = setting();
    activeHost(world, "i-a");
    for (let index = 0; index < 9; index += 1) world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const capped = await port.plan(world.group.id, await observation(world, port, 1));
      expect(onlyPool(capped)).toMatchObject({ recommended_additional_workers: 1, saturated: true });
      expect(capped.unmatched_demand).toEqual([{ reason: "provider_capacity_saturated", count: 1 }]);
      const none = await port.plan(world.group.id, await observation(world, port, 0));
      expect(onlyPool(none)).toMatchObject({ recommended_additional_workers: 0, saturated: true });
    });
  });

  test("a pool may be saturated while another one takes the item, and nothing is unmatched", async () => {
    const world = setting();
    activeHost(world, "i-a");
    const second = world.model.addPool(world.group.id, "second");
    activeHost(world, "i-b", second);
    for (const pool of [world.pool, second])
      for (const host of pool.hosts) for (let n = 0; n < 4; n += 1) occupy(world, host);
    world.model.demand.enqueue(world.group.id, item({ kind: "restore", platform: template.platform }));
    const [first, other] = [world.pool, second].sort((a, b) => (a.id < b.id ? -1 : 1));
    await connected(connect, world, async (port) => {
      const body = await observation(world, port, (pool) => (pool === first ? 0 : 5));
      const plan = await port.plan(world.group.id, body);
      expect(plan.unmatched_demand).toEqual([]);
      expect(plan.pools.map((pool) => pool.pool_id)).toEqual([first?.id, other?.id]);
      expect(plan.pools.map((pool) => pool.saturated)).toEqual([true, false]);
      expect(plan.pools.map((pool) => pool.recommended_additional_workers)).toEqual([0, 1]);
    });
  });

  test.each([
    ["per_instance_resources", item({ cpu_millis: 9_000 })],
    ["invalid_workload_requirements", item({ memory_bytes: 0 })],
    ["worker_does_not_support_run", item({ unsupported: true })],
    ["runtime_compatibility", item({ kind: "restore", platform: "firecracker/arm64" })],
  ])("unmatched: %s", async (reason, queued) => {
    const world = setting();
    activeHost(world, "i-a");
    world.model.demand.enqueue(world.group.id, queued);
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port));
      expect(plan.unmatched_demand).toEqual([{ reason, count: 1 }]);
    });
  });

  test("leaving the primary pool out shows as provider_pool_unavailable", async () => {
    const world = setting();
    activeHost(world, "i-a");
    const second = world.model.addPool(world.group.id, "second");
    activeHost(world, "i-b", second);
    world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const whole = await observation(world, port);
      const pools = whole.pools.filter((pool) => pool.pool_id === second.id);
      const plan = await port.plan(world.group.id, { ...whole, pools });
      expect(plan.unmatched_demand).toEqual([{ reason: "provider_pool_unavailable", count: 1 }]);
    });
  });

  test("while the primary pool drains new work has no pool, and its hosts drain all the same", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    const second = world.model.addPool(world.group.id, "second");
    activeHost(world, "i-b", second);
    world.model.setPoolStatus(world.group.id, world.pool.id, "draining");
    world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port));
      expect(plan.unmatched_demand).toEqual([{ reason: "primary_pool_unavailable", count: 1 }]);
      const fence = { expected_epoch: 1, expected_claim_version: 1, reason: "replacement" } as const;
      expect(await port.drain(host.id, fence)).toMatchObject({ status: "draining" });
    });
  });

  test("scale-in is blocked by work on any host of the pool, a lost one's too, and by a queued restore", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const blocked = async () =>
        onlyPool(await port.plan(world.group.id, await observation(world, port))).scale_in_blocked;
      expect(await blocked()).toBe(false);
      occupy(world, host, "optional");
      expect(await blocked()).toBe(false);
      occupy(world, host);
      expect(await blocked()).toBe(true);
      world.clock.advance(125_001);
      expect(await blocked()).toBe(true);
      await port.lost(host.id);
      expect(await blocked()).toBe(false);
      world.model.demand.enqueue(world.group.id, item({ kind: "restore", platform: template.platform }));
      expect(await blocked()).toBe(true);
    });
  });

  test("work held back by a quota is left out", async () => {
    const world = setting();
    activeHost(world, "i-a");
    world.model.demand.enqueue(world.group.id, item({ outsidePlan: true }));
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port));
      expect(onlyPool(plan).compatible_queued_items).toBe(0);
      expect(plan.unmatched_demand).toEqual([]);
    });
  });

  test("a group that is not active gets rows and no recommendation", async () => {
    const world = setting();
    activeHost(world, "i-a");
    for (let index = 0; index < 9; index += 1) world.model.demand.enqueue(world.group.id, item());
    world.model.setGroupStatus(world.group.id, "paused");
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port));
      expect(plan.group_status).toBe("paused");
      expect(onlyPool(plan).recommended_additional_workers).toBe(0);
    });
  });

  test("a missing resource observation makes the whole plan incomplete", async () => {
    const world = setting();
    activeHost(world, "i-a").resourcesUnknown = true;
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port));
      expect(plan.complete).toBe(false);
      expect(onlyPool(plan).complete).toBe(false);
    });
  });

  test("more than 5,000 queued items are planned in part, which is incomplete", async () => {
    const world = setting();
    activeHost(world, "i-a");
    for (let index = 0; index < 5_001; index += 1) world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port, 1_000));
      expect(plan.complete).toBe(false);
      expect(onlyPool(plan).recommended_additional_workers).toBe(1_000);
    });
  });

  test("more than 1,000 active hosts suppress every recommendation", async () => {
    const world = setting();
    for (let index = 0; index <= 1_000; index += 1) activeHost(world, `i-${index}`);
    for (let index = 0; index < 4_500; index += 1) world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const plan = await port.plan(world.group.id, await observation(world, port));
      expect(plan.complete).toBe(false);
      expect(onlyPool(plan)).toMatchObject({ recommended_additional_workers: 0, active_workers: 1_001 });
    });
  });
});
