import { describe, expect, test } from "vitest";
import { type DecisionInput, decide } from "../../../lib/helmr/decision.ts";
import type { DrainDetail } from "../../../lib/helmr/drain-operation.ts";
import { defaultHelmrSettings } from "../../../lib/helmr/parts.ts";
import { missingProof, type ProofReadings } from "../../../lib/helmr/proof.ts";
import { FleetWorld, poolTags } from "../fleet-world.ts";
import { drainContext, idleObservation, idlePlan, noon, observedPool } from "../observed.ts";

const terminates = (world: FleetWorld) => world.mutations().filter((name) => name.startsWith("Terminate"));

/** Two idle hosts of which Helmr has selected one, which has work left to finish. */
async function draining(options: ConstructorParameters<typeof FleetWorld>[0] = {}) {
  const world = await new FleetWorld(options).seeded(2);
  await world.until(() => world.hostsIn("draining").length === 1, { every: 1 });
  const [host] = world.hostsIn("draining");
  if (host === undefined) throw new Error("no host drains");
  const vm = { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 } as const;
  return { world, host, lease: world.model.demand.lease(host.id, vm) };
}

test("1. no instance is terminated without a fresh termination_ready for that very resource", async () => {
  const { world, host, lease } = await draining();
  await world.pass(600, 15);
  expect(terminates(world)).toEqual([]);
  world.model.demand.release(host.id, lease);
  // The list says that it is ready; the read just before the end does not.
  world.helmrFault({ on: "host", kind: "odd", change: (row) => ({ ...(row as object), status: "draining" }) });
  await world.pass(120, 15);
  expect(host.status).toBe("termination_ready");
  expect(terminates(world)).toEqual([]);
  world.helmr.clear();
  await world.until(() => terminates(world).length === 1);
  const [call] = world.aws.mutations().filter(({ operation }) => operation.startsWith("Terminate"));
  expect(call?.input).toEqual({ InstanceId: host.resourceId, ShouldDecrementDesiredCapacity: true });
});

test("1. a new worker on the machine of a drained host keeps it from being terminated", async () => {
  const { world, host, lease } = await draining();
  const newcomer = { id: "019a0000-0000-7000-8000-0000000000ff", status: "active" };
  const change = (answer: unknown) => {
    const { worker_hosts: rows } = answer as { worker_hosts: { resource_id: string }[] };
    return { worker_hosts: rows.map((row) => (row.resource_id === host.resourceId ? { ...row, ...newcomer } : row)) };
  };
  world.model.demand.release(host.id, lease);
  for (let second = 0; host.status !== "termination_ready" && second < 60; second += 1) await world.pass(1);
  expect(host.status).toBe("termination_ready");
  world.helmrFault({ on: "hosts", kind: "odd", change });
  await world.pass(60, 15);
  expect(world.failures).toEqual([]);
  expect(terminates(world)).toEqual([]);
});

test("1. a host that came back under a new epoch, or whose row has moved on, is not terminated", async () => {
  const { world, host, lease } = await draining();
  world.workers.restart(host.resourceId);
  await world.pass(30, 15);
  world.model.demand.release(host.id, lease);
  await world.pass(300, 15);
  expect(host.status).toBe("termination_ready");
  expect(terminates(world)).toEqual([]);
});

describe("2. where scale-in chose the host, receipt, host, pool, group, epoch, claim and instance must all match", () => {
  const key = "019a0000-0000-7000-8000-000000000001";
  const detail: DrainDetail = {
    kind: "scale_in",
    group: "asg",
    groupId: "g",
    poolId: "p",
    hostId: "h",
    instance: "i-1",
    epoch: 3,
    claimVersion: 5,
    decrement: true,
    attempts: 0,
  };
  const host = {
    id: "h",
    resource_id: "i-1",
    worker_group_id: "g",
    worker_pool_id: "p",
    status: "termination_ready",
    claim_version: 6,
    current_epoch: 3,
    created_at: "",
    updated_at: "",
    drain_blockers: {},
  } as const;
  const receipt = {
    operation_key: key,
    phase: "termination_ready",
    worker_group_id: "g",
    worker_pool_id: "p",
    worker_host_id: "h",
    resource_id: "i-1",
    epoch: 3,
    claim_version: 5,
  } as const;
  const instance = { id: "i-1", state: "InService", zone: "a", healthy: true, protected: true } as const;
  const group = { name: "asg", instances: [instance] } as unknown as ProofReadings["group"];
  const whole: ProofReadings = { groupId: "g", poolId: "p", host, rowOfInstance: host, receipt, group };

  test("a whole proof misses nothing, with the drain's claim or the host's own, and with identities left out", () => {
    expect(missingProof(key, detail, whole)).toEqual([]);
    expect(missingProof(key, detail, { ...whole, receipt: { ...receipt, claim_version: 6 } })).toEqual([]);
    expect(
      missingProof(key, detail, { ...whole, receipt: { operation_key: key, phase: "termination_ready" } }),
    ).toEqual([]);
  });

  test.each([
    ["the host's id", { host: { ...host, id: "other" } }],
    ["the host's status", { host: { ...host, status: "draining" } }],
    ["a status that we do not know", { host: { ...host, status: "unknown" } }],
    ["the host's resource", { host: { ...host, resource_id: "i-2" } }],
    ["the host's Worker group", { host: { ...host, worker_group_id: "other" } }],
    ["the host's pool", { host: { ...host, worker_pool_id: "other" } }],
    ["the host's epoch", { host: { ...host, current_epoch: 4 } }],
    ["an absent epoch", { host: { ...host, current_epoch: undefined } }],
    ["the host's claim", { host: { ...host, claim_version: 7 } }],
    ["the instance's row", { rowOfInstance: { ...host, id: "newcomer" } }],
    ["no row of the instance", { rowOfInstance: undefined }],
    ["no receipt", { receipt: undefined }],
    ["another key", { receipt: { ...receipt, operation_key: "other" } }],
    ["the receipt's phase", { receipt: { ...receipt, phase: "draining" } }],
    ["a blocked receipt", { receipt: { ...receipt, phase: "blocked" } }],
    ["a phase that we do not know", { receipt: { ...receipt, phase: "unknown" } }],
    ["a completed receipt", { receipt: { ...receipt, phase: "completed" } }],
    ["the receipt's host", { receipt: { ...receipt, worker_host_id: "other" } }],
    ["the receipt's resource", { receipt: { ...receipt, resource_id: "i-2" } }],
    ["the receipt's pool", { receipt: { ...receipt, worker_pool_id: "other" } }],
    ["the receipt's Worker group", { receipt: { ...receipt, worker_group_id: "other" } }],
    ["the receipt's epoch", { receipt: { ...receipt, epoch: 2 } }],
    ["the receipt's claim", { receipt: { ...receipt, claim_version: 2 } }],
    ["the Auto Scaling group", { group: { ...group, name: "other" } }],
    ["the instance in the group", { group: { ...group, instances: [] } }],
  ])("%s does not match: no proof", (_, change) => {
    expect(missingProof(key, detail, { ...whole, ...(change as Partial<ProofReadings>) })).not.toEqual([]);
  });

  test.each(["hostId", "instance", "epoch", "claimVersion"] as const)(
    "an operation without its %s proves nothing",
    (field) => {
      const { [field]: _, ...rest } = detail;
      expect(missingProof(key, rest as DrainDetail, whole)).not.toEqual([]);
    },
  );
});

test("2. receipts that tell only key and phase are completed by the one host that fits them", async () => {
  const { world, host, lease } = await draining({ model: { receiptFields: "key-and-phase" } });
  world.model.demand.release(host.id, lease);
  await world.until(() => world.asg().desired === 1, { within: 120 });
  await world.until(() => world.model.unsettledOperations(world.group.id).length === 0, { within: 300 });
  expect(world.hostsIn("lost").map(({ resourceId }) => resourceId)).toEqual([host.resourceId]);
});

test("2. a drained host that an unsettled scale-in may have chosen is not ended without that receipt", () => {
  const sound = observedPool({ active: 2 });
  const [first, ...others] = sound.members;
  if (first?.host === undefined) throw new Error("no member");
  const ready = {
    ...first.host,
    status: "termination_ready",
    drain_reason: "idle_scale_in",
    claim_version: 3,
  } as const;
  const pool = { ...sound, members: [{ ...first, host: ready, role: "ready" as const }, ...others] };
  const observed = idleObservation(pool);
  const { memory } = drainContext(pool);
  const settings = { ...defaultHelmrSettings, regionId: "region", workerRevision: undefined };
  const endsWith = (change: Partial<DecisionInput>) =>
    decide(
      {
        observation: observed,
        plan: idlePlan(pool),
        advisory: [],
        memory,
        operations: [],
        pending: undefined,
        absent: new Set(),
        deployment: [],
        now: noon,
        ...change,
      },
      settings,
    ).ends.map(({ detail }) => detail.instance);
  expect(endsWith({})).toEqual([first.instance.id]);
  expect(endsWith({ pending: { operation_key: "key", phase: "draining" } })).toEqual([]);
});

test("3. a blocked receipt terminates nothing, however long, and raises an alarm", async () => {
  const { world, host, lease } = await draining();
  world.workers.restart(host.resourceId);
  await world.pass(60, 15);
  world.model.demand.release(host.id, lease);
  await world.pass(7_200, 60);
  expect(terminates(world)).toEqual([]);
  expect(world.counts.some(({ name }) => name === "Stalled")).toBe(true);
  expect(world.lines.some(({ message, fields }) => message === "finding" && fields["code"] === "blocked")).toBe(true);
});

test("31. the age of a drain never authorises a termination; past its limit it is an alarm", async () => {
  const { world } = await draining({ tags: { "drover:drain-minutes": "5" } });
  await world.pass(1_500, 15);
  expect(terminates(world)).toEqual([]);
  expect(world.lines.some(({ fields }) => fields["code"] === "drain_overdue")).toBe(true);
});

test("35. a drain that an operator started is waited for: no other begins, and none is fought", async () => {
  const world = await new FleetWorld({ tags: { "drover:scale-in": "off" } }).seeded(3);
  await world.pass(420, 15);
  const [host] = world.hostsIn("active");
  if (host === undefined) throw new Error("no host");
  // A worker that says nothing acknowledges nothing.
  world.workers.crash(host.resourceId);
  const fence = { expected_epoch: host.epoch ?? 0, expected_claim_version: host.claimVersion };
  await world.parts("operator").controlPlane.drain(host.id, { ...fence, reason: "capacity_reduction" });
  world.cloud.updateGroup("asg-general", { tags: poolTags("general") });
  await world.pass(90, 5);
  expect(host.status).toBe("draining");
  expect(world.helmrCalls("scaleIn")).toEqual([]);
  expect(terminates(world)).toEqual([]);
  world.workers.restart(host.resourceId);
  await world.until(() => host.status === "lost", { within: 300 });
  await world.until(() => world.helmrCalls("scaleIn").length > 0, { within: 600 });
});
