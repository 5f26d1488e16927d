import { describe, expect, test } from "vitest";
import type { OptionalLimits } from "../../../lib/helmr/protocol.ts";
import { activeHost, connected, item, observation, occupy, setting, transports } from "./setting.ts";

const conflict = { status: 409, code: "conflict" };

describe.each(transports)("the resource policy %s (contract: Bound optional work per Worker)", (_name, connect) => {
  const limits: OptionalLimits = {
    cpu_millis: 2_000,
    memory_bytes: 8_000_000_000,
    disk_bytes: 40_000_000_000,
    vm_slots: 2,
    max_tasks: 2,
    io_bytes_per_second: 1_000_000,
  };

  test("all limits start at zero; a replacement under the read revision raises it, a stale one is a 409", async () => {
    const world = setting();
    await connected(connect, world, async (port) => {
      const read = await port.resourcePolicy(world.group.id, world.pool.id);
      expect(new Set(Object.values(read.optional))).toEqual(new Set([0]));
      const next = { expected_revision: read.revision, optional: limits, local_headroom_slots: 1 };
      const replaced = await port.replaceResourcePolicy(world.group.id, world.pool.id, next);
      expect(replaced).toEqual({ revision: read.revision + 1, optional: limits, local_headroom_slots: 1 });
      const again = port.replaceResourcePolicy(world.group.id, world.pool.id, next);
      await expect(again).rejects.toMatchObject(conflict);
      expect(await port.resourcePolicy(world.group.id, world.pool.id)).toEqual(replaced);
    });
  });

  test("a reduced policy leaves workers reclaiming until they have released what they held", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const put = (optional: OptionalLimits, expected_revision: number) =>
        port.replaceResourcePolicy(world.group.id, world.pool.id, {
          expected_revision,
          optional,
          local_headroom_slots: 0,
        });
      const reclaiming = async () =>
        (await port.plan(world.group.id, await observation(world, port))).pools[0]?.reclaiming_workers;
      await put(limits, 1);
      const lease = occupy(world, host, "optional");
      expect(await reclaiming()).toBe(0);
      await put({ ...limits, vm_slots: 0 }, 2);
      expect(await reclaiming()).toBe(1);
      world.model.demand.release(host.id, lease);
      expect(await reclaiming()).toBe(0);
    });
  });

  test("optional work never recommends a host, and gives way to real work", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    for (let index = 0; index < 4; index += 1) occupy(world, host, "optional");
    world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      const [pool] = (await port.plan(world.group.id, await observation(world, port))).pools;
      expect(pool).toMatchObject({ recommended_additional_workers: 0, compatible_queued_items: 1 });
      expect(world.model.demand.place(world.group.id)).toHaveLength(1);
      expect([...host.leases.values()].filter((lease) => lease.kind === "optional")).toHaveLength(3);
    });
  });

  test("the deployment's dirty schema and worker revision are told as they are", async () => {
    const world = setting();
    Object.assign(world.model.region.deployment, { schema_dirty: true, worker_revision: 7 });
    await connected(connect, world, async (port) => {
      expect(await port.deployment()).toMatchObject({ schema_dirty: true, worker_revision: 7 });
    });
  });
});
