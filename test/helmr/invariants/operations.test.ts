import { expect, test } from "vitest";
import { scaleIn } from "../../../infra/local/helmr/model/scale-in.ts";
import { FleetWorld } from "../fleet-world.ts";

const scaleIns = (world: FleetWorld) => world.helmr.calls.filter(({ operation }) => operation === "scaleIn");
const keyOf = (call: { body: unknown }) => (call.body as { operation_key: string }).operation_key;
const firstPool = (world: FleetWorld) => {
  const [pool] = world.group.pools.values();
  if (pool === undefined) throw new Error("no pool");
  return pool;
};

test("4. the pending operation is read before every scale-in, in every run", async () => {
  const world = await new FleetWorld().seeded(3);
  await world.until(() => scaleIns(world).length === 2, { within: 1_800 });
  let isRead = false;
  for (const { operation } of world.helmr.calls) {
    if (operation === "resolveGroup") isRead = false;
    if (operation === "pendingScaleIn") isRead = true;
    if (operation === "scaleIn") expect(isRead).toBe(true);
  }
});

test("5. while an operation is unsettled, also one that our ledger does not know, no second one is asked for", async () => {
  const world = await new FleetWorld().seeded(3);
  const receipt = scaleIn(world.model.region, world.group.id, firstPool(world).id, world.parts().newId());
  world.model.demand.lease(receipt.hostId, { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 });
  await world.pass(600, 15);
  expect(scaleIns(world)).toEqual([]);
  expect(world.model.unsettledOperations(world.group.id)).toEqual([receipt.operationKey]);
});

test("5. an operation that our ledger does not know is followed to its end under the same proof", async () => {
  const world = await new FleetWorld().seeded(2);
  const receipt = scaleIn(world.model.region, world.group.id, firstPool(world).id, world.parts().newId());
  await world.until(() => world.model.unsettledOperations(world.group.id).length === 0, { within: 300 });
  expect(world.asg()).toMatchObject({ desired: 1 });
  expect(world.hostsIn("lost").map(({ resourceId }) => resourceId)).toEqual([receipt.resourceId]);
});

test("6. the operation key is in the ledger before it is sent, and the same key is asked again after a lost reply", async () => {
  const world = await new FleetWorld().seeded(3);
  world.helmrFault({ on: "scaleIn", kind: "unreachable", at: { next: 2 } });
  const parts = world.parts();
  const known: boolean[] = [];
  const controlPlane: typeof parts.controlPlane = {
    ...parts.controlPlane,
    async scaleIn(group, pool, key) {
      const operation = await parts.operations.find("helmr#default", key);
      known.push(operation?.value.phase === "intended" && operation.value.detail.poolId === pool);
      return parts.controlPlane.scaleIn(group, pool, key);
    },
  };
  for (let waited = 0; scaleIns(world).length < 3 && waited < 1_200; waited += 5) {
    await world.pass(5);
    await world.cycle({ ...parts, controlPlane }).catch((error: unknown) => world.failures.push(error));
  }
  expect(world.failures).toHaveLength(2);
  expect(known).toEqual([true, true, true]);
  expect(new Set(scaleIns(world).map(keyOf)).size).toBe(1);
  expect(world.model.unsettledOperations(world.group.id)).toEqual(scaleIns(world).slice(0, 1).map(keyOf));
});

test("6. a reply that was lost after Helmr selected a host leads to that host, not to another", async () => {
  const world = await new FleetWorld().seeded(3);
  world.helmrFault({ on: "scaleIn", kind: "reply-lost", at: { next: 1 } });
  await world.until(() => world.model.unsettledOperations(world.group.id).length === 1, { every: 1 });
  const [key] = world.model.unsettledOperations(world.group.id);
  await world.until(() => world.model.unsettledOperations(world.group.id).length === 0, { within: 300 });
  expect(scaleIns(world).map(keyOf)).toEqual([key]);
  expect(world.asg().desired).toBe(2);
});

test("7. a key that was meant for one pool is never sent for another", async () => {
  const world = new FleetWorld({ pools: ["a", "b"], tags: { "drover:idle-minutes": "1" } });
  await world.pass(90, 15);
  world.cloud.setDesired("asg-a", 2);
  await world.pass(20, 5);
  world.cloud.setDesired("asg-b", 2);
  world.helmrFault({ on: "scaleIn", kind: "unreachable", at: { next: 1 } });
  await world.until(() => scaleIns(world).length === 1, { every: 1 });
  const [host] = world.hostsIn("active").filter(({ poolId }) => poolId === scaleIns(world)[0]?.params["pool"]);
  world.model.demand.lease(host?.id ?? "", { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 });
  await world.until(() => scaleIns(world).length >= 2, { every: 1 });
  const [first, second] = scaleIns(world);
  expect(second?.params["pool"]).not.toBe(first?.params["pool"]);
  const poolsOf = Map.groupBy(scaleIns(world), keyOf);
  for (const calls of poolsOf.values()) expect(new Set(calls.map(({ params }) => params["pool"])).size).toBe(1);
});

test("27. queued demand that no plan shows ends the scale-in of this cycle, and is no error", async () => {
  const world = await new FleetWorld().seeded(2);
  const item = { id: "quota", kind: "fresh", queuedAt: 0, cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 } as const;
  world.model.demand.enqueue(world.group.id, { ...item, outsidePlan: true });
  await world.until(() => scaleIns(world).length === 1);
  expect(world.hostsIn("draining")).toEqual([]);
  expect(world.lines.filter(({ level }) => level === "error")).toEqual([]);
  await world.pass(30, 5);
  expect(scaleIns(world)).toHaveLength(1);
  world.model.demand.withdraw(world.group.id, "quota");
  await world.until(() => world.hostsIn("draining").length === 1, { within: 120, every: 1 });
  expect(new Set(scaleIns(world).map(keyOf)).size).toBe(2);
});

test("44. a host that is confirmed absent is reported, and the receipt completed, before another scale-in", async () => {
  const world = await new FleetWorld({ model: { completionDelayMs: 120_000 } }).seeded(3);
  await world.until(() => world.hostsIn("lost").length === 1, { within: 1_800 });
  expect(scaleIns(world)).toHaveLength(1);
  await world.pass(100, 5);
  expect(scaleIns(world)).toHaveLength(1);
  await world.until(() => scaleIns(world).length === 2, { within: 300 });
});

test.each(["accepted", "conflict"] as const)(
  "44. the operation ends whether Helmr answers the report as %s",
  async (answer) => {
    const world = await new FleetWorld({ model: { lostFromReady: answer } }).seeded(2);
    await world.until(() => scaleIns(world).length === 1, { every: 1 });
    await world.until(() => world.model.unsettledOperations(world.group.id).length === 0, { within: 600 });
    await world.pass(60, 5);
    expect(world.helmrCalls("lost").length).toBeLessThanOrEqual(2);
    const [key] = scaleIns(world).map(keyOf);
    const operation = await world.parts().operations.find("helmr#default", key ?? "");
    expect(operation?.value.phase).toBe("completed");
  },
);
