import { afterEach, expect, test } from "vitest";
import type { ZoomiesFleet } from "../../infra/local/fleets.ts";
import { startWorld, type TestWorld } from "../world.ts";

const pool = "pool_123";
const linux: ZoomiesFleet = { name: "linux", pools: [pool], slotsPerHost: 4 };
let world: TestWorld;
afterEach(() => world.close());

/** Everything that was counted as time to in service, in seconds. */
const seconds = () =>
  world.lines.flatMap((line) => {
    const found = line.includes('"_aws"') ? (JSON.parse(line) as { TimeToInService?: number; Fleet?: string }) : {};
    if (found.TimeToInService === undefined) return [];
    expect(found.Fleet).toBe("linux");
    return [found.TimeToInService];
  });

/** So many minute runs, 10 s apart, so that what is counted is told to 10 s. */
async function runs(count: number): Promise<void> {
  for (let run = 0; run < count; run += 1) {
    world.advance(10_000);
    await world.reconcile();
  }
}

const inService = () => world.group("linux").states.filter((state) => state === "InService").length;

/** Runs until the group has so many hosts in service, and how many seconds that took. */
async function until(hosts: number): Promise<number> {
  for (let waited = 10; waited <= 600; waited += 10) {
    world.advance(10_000);
    const isThere = inService() >= hosts;
    await world.reconcile();
    if (isThere) return waited;
    expect(seconds()).toEqual([]);
  }
  throw new Error("The hosts did not come.");
}

test("a raise counts once, from its demand to the run that sees all its hosts in service", async () => {
  world = await startWorld({ fleets: [linux] });
  await world.send({ pool, capacity: 0, slots: 7 });
  const waited = await until(2);
  expect(seconds()).toEqual([waited]);
  await runs(6);
  await world.send({ pool, capacity: 8, slots: 0 });
  await runs(3);
  expect(seconds()).toEqual([waited]);
});

test("each raise counts for itself", async () => {
  world = await startWorld({ fleets: [linux] });
  await world.send({ pool, capacity: 0, slots: 4 });
  await runs(20);
  expect(seconds()).toHaveLength(1);
  await world.send({ pool, capacity: 4, slots: 4 });
  await runs(20);
  expect(inService()).toBe(2);
  expect(seconds()).toHaveLength(2);
});

test("a demand that waited before it could be met counts from when it was made", async () => {
  world = await startWorld({ fleets: [{ ...linux, group: { suspended: ["Launch"] } }] });
  await world.send({ pool, capacity: 0, slots: 4 });
  await runs(12);
  expect(seconds()).toEqual([]);
  world.cloud.updateGroup("linux", { suspended: [] });
  expect(seconds()).toEqual([]);
  const waited = await until(1);
  expect(seconds()).toEqual([120 + waited]);
});

test("a raise that nobody answered and that landed counts as any other", async () => {
  world = await startWorld({ fleets: [linux] });
  world.faults.add({ on: "auto-scaling:SetDesiredCapacity", kind: "reply-lost", at: { nth: 1 } });
  expect(await world.send({ pool, capacity: 0, slots: 4 })).toMatchObject({ status: 503 });
  const waited = await until(1);
  expect(seconds()).toEqual([waited]);
});

test("hosts that somebody else asked for count for nothing", async () => {
  world = await startWorld({ fleets: [linux] });
  world.cloud.setDesired("linux", 2);
  await runs(20);
  expect(inService()).toBe(2);
  expect(seconds()).toEqual([]);
});
