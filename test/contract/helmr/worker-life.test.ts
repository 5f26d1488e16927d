import { describe, expect, test } from "vitest";
import type { Refusal } from "../../../infra/local/helmr/model/refusal.ts";
import { activeHost, connected, occupy, registeringHost, setting, start, template, transports } from "./setting.ts";

describe.each(transports)("a host's life %s (notes 2.1, 2.5, 5)", (_name, connect) => {
  test("a row is registering without an epoch until its first process authenticated", async () => {
    const world = setting();
    const host = world.model.workers.enrol(world.group.id, "general", "i-a");
    await connected(connect, world, async (port) => {
      const enrolled = await port.host(host.id);
      expect(enrolled).toMatchObject({ status: "registering", claim_version: 1, resource_id: "i-a" });
      expect(enrolled).not.toHaveProperty("current_epoch");
      world.model.workers.authenticate(host.id);
      expect(await port.host(host.id)).toMatchObject({ status: "registering", current_epoch: 1 });
    });
  });

  test("the first active host seals a pending pool and makes it primary", async () => {
    const world = setting();
    await connected(connect, world, async (port) => {
      expect(await port.resolvePool(world.group.id, "general")).toMatchObject({ status: "pending" });
      activeHost(world, "i-a");
      const sealed = await port.resolvePool(world.group.id, "general");
      expect(sealed).toMatchObject({ status: "active", sealed_at: new Date(start).toISOString() });
      const group = await port.resolveGroup(world.group.regionId, "default");
      expect(group).toMatchObject({ primary_pool_id: sealed.id, claim_version: 2 });
    });
  });

  test("a host that differs from the seal is never activated and stays registering", async () => {
    const world = setting();
    activeHost(world, "i-a");
    const other = registeringHost(world, "i-b");
    const larger = { ...template, cpu_millis: 16_000 };
    expect(() => world.model.workers.activate(other.id, 1, larger)).toThrow(/sealed template/);
    await connected(connect, world, async (port) => {
      expect((await port.host(other.id)).status).toBe("registering");
    });
  });

  test("a restarted worker is registering again in the same row, with the next epoch", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      expect(world.model.workers.enrol(world.group.id, "general", "i-a").id).toBe(host.id);
      world.model.workers.authenticate(host.id);
      expect(await port.host(host.id)).toMatchObject({ status: "registering", current_epoch: 2, claim_version: 1 });
      expect(() => world.model.workers.observe(host.id, 1)).toThrow(/epoch/);
    });
  });

  test("a registering row that enrols again gets a new claim version", async () => {
    const world = setting();
    const host = registeringHost(world, "i-a");
    world.model.workers.enrol(world.group.id, "general", "i-a");
    await connected(connect, world, async (port) => {
      expect(await port.host(host.id)).toMatchObject({ claim_version: 2 });
    });
  });

  test("a host that is silent for more than two minutes is lost, and keeps its instances", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    occupy(world, host);
    await connected(connect, world, async (port) => {
      world.clock.advance(120_000);
      expect((await port.host(host.id)).status).toBe("active");
      world.clock.advance(5_000);
      const lost = await port.host(host.id);
      expect(lost).toMatchObject({ status: "lost", claim_version: 2, drain_blockers: { unreclaimed_instances: 1 } });
    });
  });

  test("a registering host that is silent for fifteen minutes is lost", async () => {
    const world = setting();
    const host = registeringHost(world, "i-a");
    await connected(connect, world, async (port) => {
      world.clock.advance(899_000);
      expect((await port.host(host.id)).status).toBe("registering");
      world.clock.advance(6_000);
      expect((await port.host(host.id)).status).toBe("lost");
    });
  });

  test("nobody is fenced before the Control Plane was ready for two minutes", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    world.model.setReady(false);
    await connected(connect, world, async (port) => {
      world.clock.advance(600_000);
      world.model.setReady(true);
      expect((await port.host(host.id)).status).toBe("active");
      world.clock.advance(120_000);
      expect((await port.host(host.id)).status).toBe("lost");
    });
  });

  test("a machine whose row has ended enrols in a new one; there is one live row for a resource", async () => {
    const world = setting();
    const old = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.lost(old.id);
      const next = registeringHost(world, "i-a");
      expect(next.id).not.toBe(old.id);
      expect((await port.host(old.id)).status).toBe("lost");
      expect(next).toMatchObject({ claimVersion: 1, epoch: 1 });
    });
  });

  test("a worker that shuts down by itself drains for the reason shutdown", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    world.model.workers.beginShutdown(host.id, 1);
    await connected(connect, world, async (port) => {
      expect(await port.host(host.id)).toMatchObject({
        status: "draining",
        drain_reason: "shutdown",
        claim_version: 2,
      });
    });
  });
});

test("a drained host's secret is revoked: its worker cannot come back", () => {
  const world = setting();
  const host = activeHost(world, "i-a");
  world.model.workers.beginShutdown(host.id, 1);
  world.model.workers.completeDrain(host.id, 1, 2);
  const refusals = [
    () => world.model.workers.authenticate(host.id),
    () => world.model.workers.observe(host.id, 1),
    () => world.model.workers.completeDrain(host.id, 1, 3),
  ];
  for (const ask of refusals) expect(ask).toThrow(expect.objectContaining({ status: 409 } satisfies Partial<Refusal>));
});
