import { describe, expect, test } from "vitest";
import {
  acknowledge,
  activeHost,
  connected,
  item,
  occupy,
  operationKey,
  registeringHost,
  setting,
  transports,
} from "./setting.ts";

const fence = { expected_epoch: 1, expected_claim_version: 1, reason: "replacement" } as const;

describe.each(transports)("lost %s (contract: Drain before termination; notes 2.3)", (_name, connect) => {
  test("registering, active and draining hosts become lost with their claim raised once", async () => {
    const world = setting();
    const active = activeHost(world, "i-a");
    const draining = activeHost(world, "i-b");
    const registering = registeringHost(world, "i-c");
    await connected(connect, world, async (port) => {
      await port.drain(draining.id, fence);
      expect(await port.lost(active.id)).toMatchObject({ status: "lost", claim_version: 2 });
      expect(await port.lost(draining.id)).toMatchObject({ status: "lost", claim_version: 3 });
      expect(await port.lost(registering.id)).toMatchObject({ status: "lost", claim_version: 2 });
    });
  });

  test("repeating it returns the same row", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      const first = await port.lost(host.id);
      world.clock.advance(60_000);
      expect(await port.lost(host.id)).toEqual(first);
    });
  });

  test("it frees what the host held; queued work stays queued, other hosts keep theirs", async () => {
    const world = setting();
    const [gone, other] = [activeHost(world, "i-a"), activeHost(world, "i-b")];
    for (const host of [gone, other]) occupy(world, host);
    world.model.demand.enqueue(world.group.id, item());
    await connected(connect, world, async (port) => {
      expect((await port.lost(gone.id)).drain_blockers).toMatchObject({ unreclaimed_instances: 0 });
      expect((await port.host(other.id)).drain_blockers).toMatchObject({ unreclaimed_instances: 1 });
      expect(world.group.queue.size).toBe(1);
    });
  });

  test("a termination_ready host is accepted by one server: it is lost and its receipt completed", async () => {
    const world = setting({ lostFromReady: "accepted" });
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.scaleIn(world.group.id, world.pool.id, operationKey(1));
      acknowledge(world, host);
      expect(await port.lost(host.id)).toMatchObject({ status: "lost" });
      expect(await port.scaleInReceipt(world.group.id, operationKey(1))).toMatchObject({ phase: "completed" });
    });
  });

  test("another server answers 409 there, every time, and completes the receipt all the same", async () => {
    const world = setting({ lostFromReady: "conflict" });
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.scaleIn(world.group.id, world.pool.id, operationKey(1));
      acknowledge(world, host);
      for (let turn = 0; turn < 2; turn += 1) {
        await expect(port.lost(host.id)).rejects.toMatchObject({ status: 409, code: "conflict" });
      }
      expect((await port.host(host.id)).status).toBe("termination_ready");
      expect(await port.scaleInReceipt(world.group.id, operationKey(1))).toMatchObject({ phase: "completed" });
    });
  });
});
