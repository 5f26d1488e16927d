import { describe, expect, test } from "vitest";
import { activeHost, connected, item, observation, registeringHost, setting, start, transports } from "./setting.ts";

const iso = (ms: number) => new Date(ms).toISOString();

describe.each(transports)("capacity evidence %s (contract: Resolve and plan; notes 3)", (_name, connect) => {
  test("an observation of 30 s counts, an older one is refused, and so is one of the future", async () => {
    const world = setting();
    activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const body = await observation(world, port);
      world.clock.advance(30_000);
      await port.plan(world.group.id, body);
      world.clock.advance(1);
      for (const observed_at of [body.observed_at, iso(world.clock.now() + 1)]) {
        const asked = port.plan(world.group.id, { ...body, observed_at });
        await expect(asked).rejects.toMatchObject({ code: "execution_capacity_unavailable" });
      }
    });
  });

  test.each([409, 422, 503] as const)("the status beside the code may be %d", async (evidenceStatus) => {
    const world = setting({ evidenceStatus });
    activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const body = { ...(await observation(world, port)), expected_supply_fingerprint: "stale" };
      const asked = port.plan(world.group.id, body);
      await expect(asked).rejects.toMatchObject({ status: evidenceStatus, code: "execution_capacity_unavailable" });
    });
  });

  test("the fingerprint changes with inventory, pool lifecycle and primary, not with reports or demand", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const read = async () => (await port.resolveGroup(world.group.regionId, "default")).supply_fingerprint;
      const seen = [await read()];
      const steps: (() => unknown)[] = [
        () => registeringHost(world, "i-b"),
        () => activeHost(world, "i-c"),
        () => port.drain(host.id, { expected_epoch: 1, expected_claim_version: 1, reason: "replacement" }),
        () => port.lost(host.id),
        () => port.createPool(world.group.id, { name: "second", expected_group_claim_version: 2 }),
        () => activeHost(world, "i-d", [...world.group.pools.values()].at(-1)),
        () =>
          port.setPrimaryPool(world.group.id, {
            expected_group_claim_version: world.group.claimVersion,
            minimum_ready_hosts: 1,
            pool_id: [...world.group.pools.keys()].at(-1) ?? "",
          }),
        () => world.model.setGroupStatus(world.group.id, "paused"),
      ];
      for (const step of steps) {
        await step();
        seen.push(await read());
      }
      expect(new Set(seen).size).toBe(seen.length);
      const [observer] = [...world.group.pools.values()].at(-1)?.hosts ?? [];
      world.model.workers.observe(observer?.id ?? "", 1);
      world.model.demand.enqueue(world.group.id, item());
      expect(await read()).toBe(seen.at(-1));
    });
  });

  test("a whole observation refreshes the evidence; a partial set or other counts are advisory only", async () => {
    const world = setting();
    activeHost(world, "i-a");
    const second = world.model.addPool(world.group.id, "second");
    activeHost(world, "i-b", second);
    await connected(connect, world, async (port) => {
      const body = await observation(world, port);
      const partial = { ...body, pools: body.pools.slice(0, 1) };
      const miscounted = { ...body, pools: body.pools.map((row) => ({ ...row, registering_workers: 1 })) };
      for (const request of [partial, miscounted]) {
        expect((await port.plan(world.group.id, request)).pools).toHaveLength(request.pools.length);
        expect(world.model.hasFreshEvidence(world.group.id)).toBe(false);
      }
      await port.plan(world.group.id, body);
      expect(world.model.hasFreshEvidence(world.group.id)).toBe(true);
    });
  });

  test("evidence ends 30 s after its observation, or when the supply changes", async () => {
    const world = setting();
    activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const observe = async () => port.plan(world.group.id, await observation(world, port));
      await observe();
      world.clock.advance(30_000);
      expect(world.model.hasFreshEvidence(world.group.id)).toBe(true);
      world.clock.advance(30_000);
      expect(world.model.hasFreshEvidence(world.group.id)).toBe(false);
      await observe();
      world.clock.advance(15_000);
      registeringHost(world, "i-b");
      expect(world.model.hasFreshEvidence(world.group.id)).toBe(false);
      world.clock.advance(25_000);
      const share = (by: "age" | "age-and-topology") =>
        world.model.freshShare(world.group.id, start, world.clock.now(), by);
      expect(share("age")).toBeCloseTo(0.6);
      expect(share("age-and-topology")).toBeCloseTo(0.45);
    });
  });

  test("a change ends the evidence though an older observation is not thirty seconds old yet", async () => {
    const world = setting();
    activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.plan(world.group.id, await observation(world, port));
      world.clock.advance(10_000);
      await port.plan(world.group.id, await observation(world, port));
      registeringHost(world, "i-b");
      world.clock.advance(10_000);
      expect(world.model.freshShare(world.group.id, start, world.clock.now(), "age-and-topology")).toBeCloseTo(0.5);
    });
  });

  test("new work is admitted on fresh headroom, refused without it, and then nothing waits", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.lost(host.id);
      const refused = () => world.model.demand.admit(world.group.id, item());
      expect(refused).toThrow(expect.objectContaining({ code: "execution_capacity_unavailable" }));
      expect(world.group.queue.size).toBe(0);
      await port.plan(world.group.id, await observation(world, port, 1));
      for (let index = 0; index < 4; index += 1) world.model.demand.admit(world.group.id, item());
      expect(refused).toThrow(expect.objectContaining({ code: "execution_capacity_unavailable" }));
      expect(world.group.queue.size).toBe(4);
    });
  });

  test("stale evidence leaves the capacity that is there", async () => {
    const world = setting();
    activeHost(world, "i-a");
    await connected(connect, world, async () => {
      for (let index = 0; index < 4; index += 1) world.model.demand.admit(world.group.id, item());
      expect(() => world.model.demand.admit(world.group.id, item())).toThrow(/capacity/);
    });
  });
});
