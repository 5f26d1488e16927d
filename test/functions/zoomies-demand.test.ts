import { afterEach, expect, test } from "vitest";
import { groupOf, type ZoomiesFleet } from "../../infra/local/fleets.ts";
import { startOfTime, startWorld, type TestWorld, type TestWorldOptions } from "../world.ts";
import { ledgerItems } from "./ledger-items.ts";

let world: TestWorld;
afterEach(() => world.close());

const pool = "pool_123";
const fleet: ZoomiesFleet = {
  name: "linux",
  pools: [pool],
  slotsPerHost: 4,
  tags: { "drover:host-selector/zone": "eu-west-1" },
};

/** The contract's sample, compact as its sender encodes it. */
const sample =
  '{"schema_version":1,"event_id":"random-id","type":"capacity_demand","timestamp":"2026-09-05T12:00:00Z",' +
  '"pool_id":"pool_123","host_selector":{"zone":"eu-west-1"},"backend":"docker","required_runner_slots":3,' +
  '"current_capacity":8,"queued_job_count":3,"oldest_queue_age_seconds":74}';

async function start(options: TestWorldOptions = {}) {
  world = await startWorld({ fleets: [fleet], ...options });
}

const tagsOf = (of: ZoomiesFleet) => groupOf(of, world.stack).tags ?? {};
const raises = () => world.faults.count("auto-scaling:SetDesiredCapacity");
const changes = () => world.faults.mutations().length;

test("the contract's sample raises the group to 11 slots, 3 hosts of 4, and only once, also after a restart", async () => {
  await start();
  expect(await world.post(sample)).toMatchObject({ status: 204, outcome: "applied" });
  expect(world.group("linux").desired).toBe(3);
  const before = changes();

  expect(await world.post(sample)).toMatchObject({ status: 204, outcome: "duplicate" });
  world.functions.restart();
  expect(await world.post(sample)).toMatchObject({ status: 204, outcome: "duplicate" });
  await world.reconcile();
  expect(changes()).toBe(before);
  expect(world.group("linux").desired).toBe(3);
});

test("the next event that names the same shortfall sets the same target", async () => {
  await start();
  await world.send({ pool, capacity: 8, slots: 3 });
  expect(await world.send({ pool, capacity: 8, slots: 3 })).toMatchObject({ status: 204, outcome: "applied" });
  expect(raises()).toBe(1);
  expect(world.group("linux").desired).toBe(3);
});

test("pools that share a group count its hosts once: 8+3, then 11+2, is 13 slots", async () => {
  await start({ fleets: [{ ...fleet, pools: ["pool_a", "pool_b"], slotsPerHost: 1, maxSize: 100 }] });
  await world.send({ pool: "pool_a", capacity: 8, slots: 3 });
  await world.send({ pool: "pool_b", capacity: 11, slots: 2 });
  expect(world.group("linux").desired).toBe(13);
});

test("slots outside the group are not bought again", async () => {
  await start({ fleets: [{ ...fleet, tags: { ...fleet.tags, "drover:outside-slots": "6" } }] });
  await world.send({ pool, capacity: 6, slots: 5 });
  expect(world.group("linux").desired).toBe(2);
});

test("a target over MaxSize stops there and says so; a raised MaxSize is used by the next minute run", async () => {
  await start({ fleets: [{ ...fleet, maxSize: 2 }] });
  expect(await world.send({ pool, capacity: 8, slots: 30 })).toMatchObject({ status: 204, outcome: "applied" });
  expect(world.group("linux").desired).toBe(2);
  expect(world.lines.join("\n")).toContain('"CapacityCapped":1');
  world.cloud.updateGroup("linux", { maxSize: 20 });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(10);
});

test("a group with a launch step grows by that step now and every minute until it has its target", async () => {
  await start({ fleets: [{ ...fleet, tags: { ...fleet.tags, "drover:max-launch-step": "2" } }] });
  expect(await world.send({ pool, capacity: 0, slots: 17 })).toMatchObject({ outcome: "recorded" });
  const seen = [world.group("linux").desired];
  for (let minute = 1; minute <= 3; minute += 1) {
    world.advance(60_000);
    await world.reconcile();
    seen.push(world.group("linux").desired);
  }
  expect(seen).toEqual([2, 4, 5, 5]);
});

test("demand never lowers a group, whatever the numbers", async () => {
  await start({ fleets: [{ ...fleet, desired: 6 }] });
  expect(await world.send({ pool, capacity: 0, slots: 1 })).toMatchObject({ status: 204, outcome: "applied" });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(6);
  expect(raises()).toBe(0);
});

test("a scale-down opportunity is durable as the newest reading, changes no group, and ends an older demand", async () => {
  await start({ fleets: [{ ...fleet, maxSize: 1 }] });
  await world.send({ pool, capacity: 8, slots: 3 });
  expect(await world.send({ pool, capacity: 11, slots: -11 })).toMatchObject({ status: 204, outcome: "recorded" });
  world.cloud.updateGroup("linux", { maxSize: 20 });
  world.functions.restart();
  await world.reconcile();
  expect(world.group("linux").desired).toBe(1);
});

test("a reading that comes after a newer one of its pool is superseded, by nanoseconds too", async () => {
  await start();
  const older = world.event({ pool, capacity: 40, slots: 0 + 1 });
  const newer = world.event({ pool, capacity: 0, slots: 1 });
  await world.send(newer);
  expect(await world.send(older)).toMatchObject({ status: 204, outcome: "superseded" });
  expect(world.group("linux").desired).toBe(1);
});

test("an event id that was seen with other contents changes nothing", async () => {
  await start();
  const first = world.event({ pool, capacity: 0, slots: 1 });
  await world.send(first);
  const forged = { ...world.event({ pool, capacity: 0, slots: 30 }), event_id: first.event_id };
  expect(await world.send(forged)).toMatchObject({ status: 204, outcome: "duplicate" });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(1);
});

test.each([
  ["is paused", { tags: { "drover:paused": "yes" } }],
  ["does not protect its new instances", { group: { newInstancesProtected: false } }],
  ["has its Launch process suspended", { group: { suspended: ["Launch"] } }],
])("a group that %s is left alone, its demand recorded, and raised once that is over", async (_, change) => {
  await start({ fleets: [{ ...fleet, ...change, tags: { ...fleet.tags, ...("tags" in change ? change.tags : {}) } }] });
  expect(await world.send({ pool, capacity: 0, slots: 3 })).toMatchObject({ status: 204, outcome: "recorded" });
  await world.reconcile();
  expect(raises()).toBe(0);

  world.cloud.updateGroup("linux", { newInstancesProtected: true, suspended: [], tags: tagsOf(fleet) });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(1);
});

test("a demand that nothing could meet in its time is said to be lost, once", async () => {
  await start({ fleets: [{ ...fleet, group: { suspended: ["Launch"] } }] });
  await world.send({ pool, capacity: 0, slots: 3 });
  world.advance(16 * 60_000);
  await world.reconcile();
  await world.reconcile();
  expect(world.lines.filter((line) => line.includes('"DemandLost":1'))).toHaveLength(1);
  world.cloud.updateGroup("linux", { suspended: [] });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(0);
});

test("a pool whose tag moves to another group is served there from its next event on", async () => {
  await start({ fleets: [fleet, { ...fleet, name: "other", pools: ["pool_other"] }] });
  await world.send({ pool, capacity: 0, slots: 1 });
  world.cloud.updateGroup("linux", { tags: tagsOf({ ...fleet, pools: [] }) });
  world.cloud.updateGroup("other", { tags: tagsOf({ ...fleet, pools: ["pool_other", pool] }) });
  expect(await world.send({ pool, capacity: 4, slots: 4 })).toMatchObject({ status: 204, outcome: "applied" });
  expect([world.group("linux").desired, world.group("other").desired]).toEqual([1, 2]);
});

test("a describe that lags behind our own raise does not undo it", async () => {
  await start({ aws: { describeLagMs: 5_000 } });
  world.advance(10_000);
  await world.send({ pool, capacity: 0, slots: 40 });
  expect(world.group("linux").desired).toBe(10);
  world.advance(1_000);
  await world.send({ pool, capacity: 0, slots: 8 });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(10);
});

test("the trail tells what was seen, what was decided and why, and repeats nothing", async () => {
  await start({ fleets: [{ ...fleet, maxSize: 2 }] });
  await world.send({ pool, capacity: 8, slots: 3 });
  for (let minute = 0; minute < 3; minute += 1) {
    world.advance(60_000);
    await world.reconcile();
  }
  const decisions = await trail("linux");
  expect(decisions.map(({ decided, outcome }) => [decided, outcome])).toEqual([
    ["raise desired capacity 0 to 2", "accepted"],
    ["keep desired capacity 2", "none"],
  ]);
  expect(decisions[0]?.at).toBe(startOfTime);
  expect(decisions[0]?.reasons).toContain("MaxSize 2 holds back 1 of 3 hosts");
});

async function trail(group: string): Promise<{ at: number; decided: string; outcome: string; reasons: string[] }[]> {
  const items = await ledgerItems(world);
  return items.filter(({ pk }) => pk === `trail#${group}`).map(({ body }) => JSON.parse(body));
}
