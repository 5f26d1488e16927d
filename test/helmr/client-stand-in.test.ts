import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { ControlPlaneModel } from "../../infra/local/helmr/model/control-plane-model.ts";
import type { ModelOptions } from "../../infra/local/helmr/model/options.ts";
import type { Template } from "../../infra/local/helmr/model/shape.ts";
import { type ControlPlaneServer, startControlPlane } from "../../infra/local/helmr/server.ts";
import { ControlPlaneUnauthorized, isRefusal } from "../../lib/helmr/control-plane.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import { openUpdates } from "../../lib/helmr/update-stream.ts";
import { testToken } from "./answers.ts";

const regionId = "aws-us-east-1";
const template: Template = {
  cpu_millis: 4_000,
  memory_bytes: 8_000_000_000,
  disk_bytes: 100_000_000_000,
  vm_slots: 4,
  platform: "vm",
};

let clock: ManualClock;
let model: ControlPlaneModel;
let server: ControlPlaneServer;
let client: ReturnType<typeof httpControlPlane>;
let token: string;

async function start(options: Partial<ModelOptions> = {}): Promise<void> {
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  token = testToken;
  model = new ControlPlaneModel({ clock, random, token, ...options });
  server = await startControlPlane({ model, coalesceMs: 1 });
  client = httpControlPlane({ baseUrl: server.url, token: async () => token, wait: async () => {} });
}
beforeEach(() => start());
afterEach(stop);

async function stop(): Promise<void> {
  client.close();
  await server.close();
}

function addActive(groupId: string, pool: string, resource: string) {
  const host = model.workers.enrol(groupId, pool, resource);
  model.workers.activate(host.id, model.workers.authenticate(host.id), template);
  return host;
}

const newKey = "019876aa-0000-7000-8000-0000000000aa";

describe("the client and the stand-in Control Plane agree on every operation", () => {
  it("from an empty group to a lost host", async () => {
    const { id: groupId } = model.addGroup("default", regionId);
    const empty = await client.resolveGroup(regionId, "default");
    expect(empty).toMatchObject({ id: groupId, status: "active", claim_version: 1 });
    const created = await client.createPool(groupId, { name: "large", expected_group_claim_version: 1 });
    expect(created).toMatchObject({ status: "pending", worker_group_id: groupId });
    const { id: hostId } = addActive(groupId, "large", "i-0aaaaaaa");
    addActive(groupId, "large", "i-0bbbbbbb");

    const group = await client.resolveGroup(regionId, "default");
    const pool = await client.resolvePool(groupId, "large");
    expect(pool).toMatchObject({ id: created.id, status: "active" });
    expect(group.primary_pool_id).toBe(pool.id);
    expect(group.supply_fingerprint).not.toBe(empty.supply_fingerprint);
    const { worker_hosts: hosts, truncated } = await client.hosts({ worker_group_id: groupId, statuses: ["active"] });
    expect(hosts.map(({ resource_id }) => resource_id)).toEqual(["i-0aaaaaaa", "i-0bbbbbbb"]);
    expect(truncated).toBe(false);
    expect((await client.hosts({ resource_ids: ["i-0bbbbbbb"] })).worker_hosts).toHaveLength(1);
    expect((await client.hosts({ has_unreclaimed_instance: true })).worker_hosts).toEqual([]);
    expect(await client.host(hostId)).toEqual(hosts[0]);

    const request = {
      expected_supply_fingerprint: group.supply_fingerprint,
      observed_at: new Date(clock.now()).toISOString(),
      pools: [{ pool_id: pool.id, max_additional_workers: 5, active_workers: 2, registering_workers: 0 }],
    };
    expect(await client.plan(groupId, request)).toMatchObject({
      complete: true,
      pools: [{ pool_id: pool.id, active_workers: 2, recommended_additional_workers: 0 }],
    });
    const stale = client.plan(groupId, { ...request, expected_supply_fingerprint: "another" });
    await expect(stale).rejects.toMatchObject({ code: "execution_capacity_unavailable" });

    const { revision, ...policy } = await client.resourcePolicy(groupId, pool.id);
    const replaced = await client.replaceResourcePolicy(groupId, pool.id, {
      ...policy,
      local_headroom_slots: 1,
      expected_revision: revision,
    });
    expect(replaced).toMatchObject({ revision: revision + 1, local_headroom_slots: 1 });
    const again = client.replaceResourcePolicy(groupId, pool.id, { ...policy, expected_revision: revision });
    await expect(again).rejects.toMatchObject({ status: 409 });

    const selected = await client.setPrimaryPool(groupId, {
      expected_group_claim_version: group.claim_version,
      minimum_ready_hosts: 1,
      pool_id: pool.id,
    });
    expect(selected).toMatchObject({ applied: false, worker_group: { primary_pool_id: pool.id } });
    expect(await client.deployment()).toMatchObject({ schema_dirty: false });

    expect(await client.pendingScaleIn(groupId)).toBeUndefined();
    const receipt = await client.scaleIn(groupId, pool.id, newKey);
    expect(receipt).toMatchObject({ operation_key: newKey, phase: "draining", worker_pool_id: pool.id });
    expect(await client.scaleIn(groupId, pool.id, newKey)).toEqual(receipt);
    expect(await client.pendingScaleIn(groupId)).toEqual(receipt);
    const chosen = await client.host(receipt.worker_host_id ?? "");
    expect(chosen).toMatchObject({
      status: "draining",
      current_epoch: receipt.epoch,
      claim_version: receipt.claim_version,
    });
    model.workers.completeDrain(chosen.id, chosen.current_epoch ?? 0, chosen.claim_version);
    expect((await client.scaleInReceipt(groupId, newKey)).phase).toBe("termination_ready");
    expect(await client.lost(chosen.id)).toMatchObject({ id: chosen.id });
    expect((await client.scaleInReceipt(groupId, newKey)).phase).toBe("completed");
    expect(await client.pendingScaleIn(groupId)).toBeUndefined();

    const { worker_hosts: left } = await client.hosts({ worker_group_id: groupId, statuses: ["active"] });
    const [last] = left;
    const fence = { expected_epoch: 1, expected_claim_version: 9, reason: "capacity_reduction" } as const;
    const failure = await client.drain(last?.id ?? "", fence).catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 409, code: "conflict" });
    expect(isRefusal(failure)).toBe(true);
    const drained = await client.drain(last?.id ?? "", { ...fence, expected_claim_version: last?.claim_version ?? 0 });
    expect(drained).toMatchObject({ status: "draining", drain_reason: "capacity_reduction" });

    const second = await client.createPool(groupId, {
      name: "small",
      expected_group_claim_version: (await client.resolveGroup(regionId, "default")).claim_version,
    });
    const disabled = await client.disablePool(groupId, second.id, {
      expected_pool_claim_version: second.claim_version,
    });
    expect(disabled.status).toBe("disabled");
    await expect(client.host(newKey)).rejects.toMatchObject({ status: 404, code: "not_found" });
  });

  it("where the contract leaves the receipt's shape open, whichever it is", async () => {
    await stop();
    await start({ receiptFields: "key-and-phase", wrapKeyedReceipt: true });
    const { id: groupId } = model.addGroup("default", regionId);
    const { id: poolId } = model.addPool(groupId, "large");
    addActive(groupId, "large", "i-0aaaaaaa");
    addActive(groupId, "large", "i-0bbbbbbb");
    const bare = { operation_key: newKey, phase: "draining" };
    expect(await client.scaleIn(groupId, poolId, newKey)).toEqual(bare);
    expect(await client.scaleInReceipt(groupId, newKey)).toEqual(bare);
    expect(await client.pendingScaleIn(groupId)).toEqual(bare);
  });
});

describe("the update stream of the stand-in Control Plane", () => {
  it("hints at once when it opens and after each change, and outlives a rotation of the token", async () => {
    const { id: groupId } = model.addGroup("default", regionId);
    let changes = 0;
    const lost: string[] = [];
    const stream = openUpdates({
      baseUrl: server.url,
      token: async () => token,
      onChange: () => {
        changes += 1;
      },
      onLost: (reason) => lost.push(reason),
      jitter: () => 0,
    });
    const reach = (least: number) =>
      vi.waitFor(() => expect(changes).toBeGreaterThanOrEqual(least), { interval: 5, timeout: 5_000 });
    try {
      await reach(1);
      model.addPool(groupId, "large");
      await reach(2);
      token = Buffer.alloc(32, "rotated").toString("base64url");
      model.credential.rotate(token);
      await vi.waitFor(() => expect(lost.length).toBeGreaterThan(0), { interval: 5, timeout: 5_000 });
      await reach(3);
    } finally {
      stream.close();
    }
    token = testToken;
    await expect(client.deployment()).rejects.toThrow(ControlPlaneUnauthorized);
  });
});
