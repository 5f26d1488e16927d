import { describe, expect, test } from "vitest";
import { acknowledge, activeHost, connected, occupy, type Setting, setting, template, transports } from "./setting.ts";

const conflict = { status: 409, code: "conflict" };

function twoPools(): Setting & { second: Setting["pool"] } {
  const world = setting();
  activeHost(world, "i-a");
  const second = world.model.addPool(world.group.id, "second");
  activeHost(world, "i-b", second);
  return { ...world, second };
}

describe.each(transports)("the primary pool %s (contract: Select a primary pool; notes row 10)", (_name, connect) => {
  const ask = (world: { second: { id: string }; group: { claimVersion: number } }, change = {}) => ({
    expected_group_claim_version: world.group.claimVersion,
    minimum_ready_hosts: 1,
    pool_id: world.second.id,
    ...change,
  });

  test("selecting it raises the group's claim; the same again is an exact replay with an older claim", async () => {
    const world = twoPools();
    await connected(connect, world, async (port) => {
      const request = ask(world);
      const selected = await port.setPrimaryPool(world.group.id, request);
      expect(selected).toMatchObject({
        applied: true,
        worker_group: { primary_pool_id: world.second.id, claim_version: 3 },
      });
      expect(await port.setPrimaryPool(world.group.id, request)).toMatchObject({ applied: false });
    });
  });

  test("a replay says nothing of the fleet: it is answered with no host left", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.lost(host.id);
      const request = ask({ second: world.pool, group: world.group }, { minimum_ready_hosts: 5 });
      expect(await port.setPrimaryPool(world.group.id, request)).toMatchObject({ applied: false });
    });
  });

  test("a stale claim conflicts, and a claim of the future does even on a replay", async () => {
    const world = twoPools();
    await connected(connect, world, async (port) => {
      const stale = ask(world, { expected_group_claim_version: 1 });
      const future = ask(world, { expected_group_claim_version: 99, pool_id: world.pool.id });
      for (const request of [stale, future]) {
        await expect(port.setPrimaryPool(world.group.id, request)).rejects.toMatchObject(conflict);
      }
    });
  });

  test("too few ready hosts have their own code; silent and paused hosts are not ready", async () => {
    const world = twoPools();
    await connected(connect, world, async (port) => {
      const insufficient = { status: 409, code: "insufficient_ready_hosts" };
      const two = ask(world, { minimum_ready_hosts: 2 });
      await expect(port.setPrimaryPool(world.group.id, two)).rejects.toMatchObject(insufficient);
      for (const host of world.second.hosts) host.paused = true;
      await expect(port.setPrimaryPool(world.group.id, ask(world))).rejects.toMatchObject(insufficient);
    });
  });

  test("a pending pool cannot be primary, another group's is not found, zero values are refused", async () => {
    const world = twoPools();
    const pending = world.model.addPool(world.group.id, "pending");
    const elsewhere = world.model.addPool(world.model.addGroup("other", "r").id, "general");
    await connected(connect, world, async (port) => {
      const cases = [
        [{ pool_id: pending.id }, conflict],
        [{ pool_id: elsewhere.id }, { status: 404 }],
        [{ minimum_ready_hosts: 0 }, { status: 400 }],
        [{ expected_group_claim_version: 0 }, { status: 400 }],
      ] as const;
      for (const [change, expected] of cases) {
        await expect(port.setPrimaryPool(world.group.id, ask(world, change))).rejects.toMatchObject(expected);
      }
    });
  });
});

describe.each(transports)(
  "creating and disabling pools %s (contract, last section; notes 2.5, rows 16 and 17)",
  (_name, connect) => {
    test("creation needs the group's claim, and a name that was never used", async () => {
      const world = twoPools();
      await connected(connect, world, async (port) => {
        const claim = world.group.claimVersion;
        const create = (name: string, expected_group_claim_version: number) =>
          port.createPool(world.group.id, { name, expected_group_claim_version });
        await expect(create("third", claim + 1)).rejects.toMatchObject(conflict);
        await expect(create("second", claim)).rejects.toMatchObject(conflict);
        await expect(create(" third", claim)).rejects.toMatchObject({ status: 400 });
        expect(await create("third", claim)).toMatchObject({ name: "third", status: "pending" });
      });
    });

    test("a disabled name never enrols again and cannot be created again", async () => {
      const world = twoPools();
      const pending = world.model.addPool(world.group.id, "third");
      await connected(connect, world, async (port) => {
        const disabled = await port.disablePool(world.group.id, pending.id, { expected_pool_claim_version: 1 });
        expect(disabled).toMatchObject({ status: "disabled", claim_version: 2 });
        expect(() => world.model.workers.enrol(world.group.id, "third", "i-c")).toThrow(/enrol/);
        const again = { name: "third", expected_group_claim_version: world.group.claimVersion };
        await expect(port.createPool(world.group.id, again)).rejects.toMatchObject(conflict);
      });
    });

    test("a pool with hosts, with custody, or with a drained host not yet confirmed absent stays", async () => {
      const world = twoPools();
      const [host] = world.second.hosts;
      if (host === undefined) throw new Error("no host");
      await connected(connect, world, async (port) => {
        const disable = () =>
          port.disablePool(world.group.id, world.second.id, { expected_pool_claim_version: world.second.claimVersion });
        await expect(disable()).rejects.toMatchObject(conflict);
        world.model.workers.beginShutdown(host.id, 1);
        acknowledge(world, host);
        await expect(disable()).rejects.toMatchObject(conflict);
        await port.lost(host.id);
        expect(await disable()).toMatchObject({ status: "disabled" });
      });
    });

    test("a silent host's custody keeps the pool until its absence is confirmed", async () => {
      const world = twoPools();
      const [host] = world.second.hosts;
      if (host === undefined) throw new Error("no host");
      occupy(world, host);
      await connected(connect, world, async (port) => {
        world.clock.advance(125_001);
        const disable = () => port.disablePool(world.group.id, world.second.id, { expected_pool_claim_version: 2 });
        await expect(disable()).rejects.toMatchObject(conflict);
        await port.lost(host.id);
        expect(await disable()).toMatchObject({ status: "disabled" });
      });
    });

    test("the primary pool, and the last that can restore something retained, are protected", async () => {
      const world = setting();
      const host = activeHost(world, "i-a");
      const arm = { ...template, platform: "firecracker/arm64" };
      const second = world.model.addPool(world.group.id, "arm");
      const armHost = activeHost(world, "i-b", second, arm);
      world.model.retainProfile(world.group.id, {
        name: "p",
        platform: arm.platform,
        liveInstances: 0,
        creatingCheckpoints: 0,
        parkedCheckpoints: 1,
      });
      await connected(connect, world, async (port) => {
        for (const each of [host, armHost]) await port.lost(each.id);
        for (const { id } of [world.pool, second]) {
          const asked = port.disablePool(world.group.id, id, { expected_pool_claim_version: 2 });
          await expect(asked).rejects.toMatchObject(conflict);
        }
      });
    });

    test("retained profiles say how many pools could restore them; past 100 the list is not complete", async () => {
      const world = setting();
      activeHost(world, "i-a");
      for (let index = 0; index < 101; index += 1) {
        const counts = { liveInstances: 1, creatingCheckpoints: 0, parkedCheckpoints: 2 };
        world.model.retainProfile(world.group.id, { name: `p${index}`, platform: template.platform, ...counts });
      }
      await connected(connect, world, async (port) => {
        const retained = (await port.resolveGroup(world.group.regionId, "default")).retained_profiles;
        expect(retained?.complete).toBe(false);
        expect(retained?.profiles).toHaveLength(100);
        expect(retained?.profiles[0]).toMatchObject({ parked_checkpoints: 2, eligible_pools: 1 });
        expect((await port.resolvePool(world.group.id, "general")).retained_profiles?.profiles).toHaveLength(100);
      });
    });
  },
);
