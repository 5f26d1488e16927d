import { describe, expect, test } from "vitest";
import { acknowledge, activeHost, connected, item, occupy, registeringHost, setting, transports } from "./setting.ts";

describe.each(transports)("drain %s (contract: Drain before termination; notes 2.1, 2.2)", (_name, connect) => {
  const fence = { expected_epoch: 1, expected_claim_version: 1, reason: "replacement" } as const;

  test("a host drains under its own epoch and claim, and the claim rises by one", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      expect(await port.drain(host.id, fence)).toMatchObject({
        status: "draining",
        claim_version: 2,
        current_epoch: 1,
        drain_reason: "replacement",
      });
    });
  });

  test.each([
    ["epoch", { ...fence, expected_epoch: 2 }],
    ["claim version", { ...fence, expected_claim_version: 2 }],
  ])("another %s than the host's is a conflict and drains nothing", async (_case, request) => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await expect(port.drain(host.id, request)).rejects.toMatchObject({ status: 409, code: "conflict" });
      expect((await port.host(host.id)).status).toBe("active");
    });
  });

  test("a replay with the old or the new claim returns the same row; the first reason stays", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const first = await port.drain(host.id, fence);
      world.clock.advance(60_000);
      expect(await port.drain(host.id, { ...fence, reason: "capacity_reduction" })).toEqual(first);
      expect(await port.drain(host.id, { ...fence, expected_claim_version: 2 })).toEqual(first);
      await expect(port.drain(host.id, { ...fence, expected_claim_version: 3 })).rejects.toMatchObject({ status: 409 });
    });
  });

  test("the first drain survives a restart of the worker, which raises the epoch only", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const first = await port.drain(host.id, fence);
      world.model.workers.authenticate(host.id);
      const replayed = await port.drain(host.id, fence);
      expect(replayed).toMatchObject({ status: "draining", current_epoch: 2, drain_reason: "replacement" });
      expect(replayed.draining_at).toBe(first.draining_at);
    });
  });

  test("a registering host cannot drain, nor one that is ready or lost", async () => {
    const world = setting();
    activeHost(world, "i-seal");
    const registering = registeringHost(world, "i-b");
    const ready = activeHost(world, "i-c");
    const lost = activeHost(world, "i-d");
    await connected(connect, world, async (port) => {
      await port.drain(ready.id, fence);
      acknowledge(world, ready);
      await port.lost(lost.id);
      for (const host of [registering, ready, lost]) {
        const request = { ...fence, expected_claim_version: host.claimVersion };
        await expect(port.drain(host.id, request)).rejects.toMatchObject({ status: 409, code: "conflict" });
      }
    });
  });

  test("idle_scale_in is refused while anything is queued in the region, in another group too", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    const other = world.model.addGroup("other", world.group.regionId);
    world.model.demand.enqueue(other.id, item({ outsidePlan: true }));
    await connected(connect, world, async (port) => {
      const idle = { ...fence, reason: "idle_scale_in" } as const;
      await expect(port.drain(host.id, idle)).rejects.toMatchObject({ status: 409, code: "queued_demand_present" });
      world.model.region.groups.get(other.id)?.queue.clear();
      const begun = await port.drain(host.id, idle);
      world.model.demand.enqueue(other.id, item());
      expect(await port.drain(host.id, idle)).toEqual(begun);
    });
  });

  test.each(["replacement", "capacity_reduction"] as const)("%s drains with queued work", async (reason) => {
    const world = setting();
    const host = activeHost(world, "i-a");
    world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      expect(await port.drain(host.id, { ...fence, reason })).toMatchObject({
        status: "draining",
        drain_reason: reason,
      });
    });
  });

  test("only the worker's own acknowledgment makes a host ready, and not while it holds instances", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    const lease = occupy(world, host);
    await connected(connect, world, async (port) => {
      await port.drain(host.id, fence);
      expect(() => acknowledge(world, host)).toThrow(/still holds/);
      expect((await port.host(host.id)).drain_blockers).toMatchObject({ unreclaimed_instances: 1 });
      world.model.demand.release(host.id, lease);
      const emptied = await port.host(host.id);
      expect(emptied).toMatchObject({ status: "draining", drain_blockers: { unreclaimed_instances: 0 } });
      acknowledge(world, host);
      const ready = await port.host(host.id);
      expect(ready).toMatchObject({ status: "termination_ready", claim_version: 3 });
      expect(ready.termination_ready_at).toBeDefined();
    });
  });
});
