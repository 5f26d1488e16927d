import { describe, expect, test } from "vitest";
import {
  acknowledge,
  activeHost,
  connected,
  item,
  occupy,
  operationKey,
  setting,
  template,
  transports,
} from "./setting.ts";

const key = operationKey;

describe.each(transports)("scale-in %s (contract: Retry scale-in safely; notes 2.4)", (_name, connect) => {
  test("it selects the oldest idle host and drains it for idle_scale_in with a receipt", async () => {
    const world = setting();
    const busy = activeHost(world, "i-a");
    occupy(world, busy);
    world.clock.advance(1_000);
    const oldest = activeHost(world, "i-b");
    world.clock.advance(1_000);
    activeHost(world, "i-c");
    await connected(connect, world, async (port) => {
      expect(await port.scaleIn(world.group.id, world.pool.id, key(1))).toEqual({
        operation_key: key(1),
        phase: "draining",
        worker_group_id: world.group.id,
        worker_pool_id: world.pool.id,
        worker_host_id: oldest.id,
        resource_id: "i-b",
        epoch: 1,
        claim_version: 2,
      });
      expect(await port.host(oldest.id)).toMatchObject({ status: "draining", drain_reason: "idle_scale_in" });
    });
  });

  test("the same key returns the same selection, however often and at whatever phase", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    activeHost(world, "i-b");
    await connected(connect, world, async (port) => {
      const first = await port.scaleIn(world.group.id, world.pool.id, key(1));
      expect(await port.scaleIn(world.group.id, world.pool.id, key(1))).toEqual(first);
      acknowledge(world, host);
      const again = await port.scaleIn(world.group.id, world.pool.id, key(1));
      expect(again).toEqual({ ...first, phase: "termination_ready" });
      await port.lost(host.id);
      expect(await port.scaleIn(world.group.id, world.pool.id, key(1))).toMatchObject({ phase: "completed" });
    });
  });

  test("the same key for another pool is a conflict", async () => {
    const world = setting();
    activeHost(world, "i-a");
    const other = world.model.addPool(world.group.id, "large");
    activeHost(world, "i-b", other, { ...template, vm_slots: 8 });
    await connected(connect, world, async (port) => {
      await port.scaleIn(world.group.id, world.pool.id, key(1));
      await expect(port.scaleIn(world.group.id, other.id, key(1))).rejects.toMatchObject({ status: 409 });
    });
  });

  test("a group has one unsettled operation at a time, whatever its phase", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    activeHost(world, "i-b");
    await connected(connect, world, async (port) => {
      const second = () => port.scaleIn(world.group.id, world.pool.id, key(2));
      await port.scaleIn(world.group.id, world.pool.id, key(1));
      await expect(second()).rejects.toMatchObject({ status: 409, code: "conflict" });
      expect(await port.pendingScaleIn(world.group.id)).toMatchObject({ operation_key: key(1), phase: "draining" });
      acknowledge(world, host);
      await expect(second()).rejects.toMatchObject({ status: 409 });
      await port.lost(host.id);
      expect(await port.pendingScaleIn(world.group.id)).toBeUndefined();
      expect(await second()).toMatchObject({ phase: "draining", resource_id: "i-b" });
    });
  });

  test("queued demand anywhere refuses it and selects nothing", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    world.model.demand.enqueue(world.group.id, item({ outsidePlan: true }));
    await connected(connect, world, async (port) => {
      const asked = port.scaleIn(world.group.id, world.pool.id, key(1));
      await expect(asked).rejects.toMatchObject({ status: 409, code: "queued_demand_present" });
      expect((await port.host(host.id)).status).toBe("active");
      expect(await port.pendingScaleIn(world.group.id)).toBeUndefined();
    });
  });

  test("without an eligible host it is a conflict and leaves no receipt", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    occupy(world, host);
    await connected(connect, world, async (port) => {
      await expect(port.scaleIn(world.group.id, world.pool.id, key(1))).rejects.toMatchObject({ status: 409 });
      await expect(port.scaleInReceipt(world.group.id, key(1))).rejects.toMatchObject({ status: 404 });
    });
  });

  test("a host with optional work only may be selected", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    occupy(world, host, "optional");
    await connected(connect, world, async (port) => {
      const receipt = await port.scaleIn(world.group.id, world.pool.id, key(1));
      expect(receipt.worker_host_id).toBe(host.id);
      expect(() => acknowledge(world, host)).toThrow(/still holds/);
    });
  });

  test("a host lost in its drain blocks the operation until its absence is confirmed", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.scaleIn(world.group.id, world.pool.id, key(1));
      world.clock.advance(125_001);
      expect(await port.pendingScaleIn(world.group.id)).toMatchObject({ phase: "blocked" });
      await port.lost(host.id);
      expect(await port.scaleInReceipt(world.group.id, key(1))).toMatchObject({ phase: "completed" });
    });
  });

  test("a new epoch in the drain blocks it; an operator's reconciliation lets it go on", async () => {
    const world = setting();
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.scaleIn(world.group.id, world.pool.id, key(1));
      world.model.workers.authenticate(host.id);
      acknowledge(world, host);
      expect(await port.pendingScaleIn(world.group.id)).toMatchObject({ phase: "blocked", epoch: 1 });
      world.model.reconcile(world.group.id, key(1));
      expect(await port.pendingScaleIn(world.group.id)).toMatchObject({ phase: "termination_ready", epoch: 2 });
    });
  });

  test("completion may come later than the confirmed absence", async () => {
    const world = setting({ completionDelayMs: 40_000 });
    const host = activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.scaleIn(world.group.id, world.pool.id, key(1));
      acknowledge(world, host);
      await port.lost(host.id);
      expect(await port.pendingScaleIn(world.group.id)).toMatchObject({ phase: "termination_ready" });
      world.clock.advance(40_000);
      expect(await port.pendingScaleIn(world.group.id)).toBeUndefined();
    });
  });

  test.each([
    ["tells key and phase only", { receiptFields: "key-and-phase" as const }],
    ["wraps a keyed receipt as it wraps the pending one", { wrapKeyedReceipt: true }],
  ])("a server that %s is understood", async (_case, options) => {
    const world = setting(options);
    activeHost(world, "i-a");
    await connected(connect, world, async (port) => {
      await port.scaleIn(world.group.id, world.pool.id, key(1));
      const receipt = await port.scaleInReceipt(world.group.id, key(1));
      expect(receipt).toMatchObject({ operation_key: key(1), phase: "draining" });
      expect("resource_id" in receipt).toBe("wrapKeyedReceipt" in options);
    });
  });

  test("a receipt's claim is the drain's, or follows the host's where the server has it so", async () => {
    for (const [receiptClaim, expected] of [
      ["drain", 2],
      ["current", 3],
    ] as const) {
      const world = setting({ receiptClaim });
      const host = activeHost(world, "i-a");
      await connected(connect, world, async (port) => {
        await port.scaleIn(world.group.id, world.pool.id, key(1));
        acknowledge(world, host);
        const receipt = await port.scaleInReceipt(world.group.id, key(1));
        expect(receipt).toMatchObject({ phase: "termination_ready", claim_version: expected });
        expect((await port.host(host.id)).claim_version).toBe(3);
      });
    }
  });
});
