import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { createHelmrFaults, type HelmrFaults } from "../../infra/local/helmr/faults.ts";
import { inProcessControlPlane } from "../../infra/local/helmr/in-process.ts";
import { ControlPlaneModel } from "../../infra/local/helmr/model/control-plane-model.ts";
import type { Template } from "../../infra/local/helmr/model/shape.ts";
import type { ControlPlane } from "../../lib/helmr/control-plane.ts";
import { declaredPolicies, settlePrimary } from "../../lib/helmr/declared-policy.ts";

const regionId = "aws-us-east-1";
const declared = {
  cpu_millis: 500,
  memory_bytes: 1_000_000_000,
  disk_bytes: 0,
  vm_slots: 0,
  max_tasks: 2,
  io_bytes_per_second: 0,
  local_headroom_slots: 1,
};
const template: Template = {
  cpu_millis: 4_000,
  memory_bytes: 8_000_000_000,
  disk_bytes: 100_000_000_000,
  vm_slots: 4,
  platform: "vm",
};

let model: ControlPlaneModel;
let faults: HelmrFaults;
let controlPlane: ControlPlane;
let groupId: string;
let poolId: string;

beforeEach(() => {
  let seed = 1;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  model = new ControlPlaneModel({ clock: new ManualClock(Date.UTC(2026, 8, 5)), random });
  faults = createHelmrFaults();
  controlPlane = inProcessControlPlane(model, { faults });
  groupId = model.addGroup("default", regionId).id;
  poolId = model.addPool(groupId, "large").id;
});

describe("a declared resource policy", () => {
  it("replaces another one once, and then is left alone", async () => {
    const policies = declaredPolicies(controlPlane);
    expect(await policies.settle(groupId, poolId, declared, undefined)).toEqual({ outcome: "replaced", revision: 2 });
    const { local_headroom_slots, ...optional } = declared;
    expect(await controlPlane.resourcePolicy(groupId, poolId)).toEqual({ revision: 2, optional, local_headroom_slots });

    const later = await policies.settle(groupId, poolId, declared, { policy_revision: 2, reclaiming_workers: 3 });
    expect(later).toEqual({ outcome: "as_declared", revision: 2, reclaimingWorkers: 3 });
    expect(faults.calls.filter(({ operation }) => /policy/i.test(operation))).toHaveLength(3);
  });

  it("is read again when the plan shows another revision or the tags say something else", async () => {
    const policies = declaredPolicies(controlPlane);
    await policies.settle(groupId, poolId, declared, undefined);
    const { optional } = await controlPlane.resourcePolicy(groupId, poolId);
    await controlPlane.replaceResourcePolicy(groupId, poolId, {
      expected_revision: 2,
      optional,
      local_headroom_slots: 9,
    });
    expect(await policies.settle(groupId, poolId, declared, { policy_revision: 3 })).toMatchObject({
      outcome: "replaced",
      revision: 4,
    });
    const changed = { ...declared, max_tasks: 3 };
    expect(await policies.settle(groupId, poolId, changed, { policy_revision: 4 })).toMatchObject({
      outcome: "replaced",
      revision: 5,
    });
  });

  it("reads again after a stale revision, and sends the one it read then", async () => {
    faults.add({ kind: "error", status: 409, code: "conflict", on: "replaceResourcePolicy", at: { nth: 1 } });
    const outcome = await declaredPolicies(controlPlane).settle(groupId, poolId, declared, undefined);
    expect(outcome).toEqual({ outcome: "replaced", revision: 2 });
    expect(faults.count("resourcePolicy")).toBe(2);
  });

  it("gives way to somebody who keeps replacing it", async () => {
    faults.add({ kind: "error", status: 409, code: "conflict", on: "replaceResourcePolicy" });
    expect(await declaredPolicies(controlPlane).settle(groupId, poolId, declared, undefined)).toEqual({
      outcome: "contended",
    });
    expect(faults.count("replaceResourcePolicy")).toBe(2);
  });

  it("is not sent twice after a lost reply: the next look finds it in place", async () => {
    const policies = declaredPolicies(controlPlane);
    faults.add({ kind: "reply-lost", on: "replaceResourcePolicy", at: { nth: 1 } });
    await expect(policies.settle(groupId, poolId, declared, undefined)).rejects.toMatchObject({
      name: "ControlPlaneUnreachable",
    });
    expect(await policies.settle(groupId, poolId, declared, undefined)).toEqual({
      outcome: "as_declared",
      revision: 2,
    });
    expect(faults.count("replaceResourcePolicy")).toBe(1);
  });
});

describe("a declared primary pool", () => {
  const activate = (pool: string, resource: string) => {
    const host = model.workers.enrol(groupId, pool, resource);
    model.workers.activate(host.id, model.workers.authenticate(host.id), template);
  };
  const settle = async (pool: string, minimum: number) =>
    settlePrimary(
      controlPlane,
      await controlPlane.resolveGroup(regionId, "default"),
      await controlPlane.resolvePool(groupId, pool),
      minimum,
    );

  it("waits for the first host to seal the pool", async () => {
    expect(await settle("large", 1)).toEqual({ outcome: "waiting", reason: "pool_not_sealed" });
    expect(faults.count("setPrimaryPool")).toBe(0);
  });

  it("is selected under the group's claim, once, when enough hosts are ready", async () => {
    activate("large", "i-0aaaaaaa");
    expect(await settle("large", 1)).toEqual({ outcome: "is_primary" });
    model.addPool(groupId, "small");
    activate("small", "i-0bbbbbbb");
    expect(await settle("small", 2)).toEqual({ outcome: "waiting", reason: "insufficient_ready_hosts" });
    expect(await settle("small", 1)).toEqual({ outcome: "selected" });
    expect(await settle("small", 1)).toEqual({ outcome: "is_primary" });
    expect(faults.count("setPrimaryPool")).toBe(2);
  });

  it("resolves the group again after a stale claim and gives way the second time", async () => {
    activate("large", "i-0aaaaaaa");
    model.addPool(groupId, "small");
    activate("small", "i-0bbbbbbb");
    faults.add({ kind: "error", status: 409, code: "conflict", on: "setPrimaryPool", at: { next: 2 } });
    expect(await settle("small", 1)).toEqual({ outcome: "contended" });
    expect(faults.count("resolveGroup")).toBe(3);
    expect(await settle("small", 1)).toEqual({ outcome: "selected" });
  });

  it("waits while the group is neither active nor paused", async () => {
    activate("large", "i-0aaaaaaa");
    model.addPool(groupId, "small");
    activate("small", "i-0bbbbbbb");
    model.setGroupStatus(groupId, "draining");
    expect(await settle("small", 1)).toEqual({ outcome: "waiting", reason: "group_not_open" });
  });
});
