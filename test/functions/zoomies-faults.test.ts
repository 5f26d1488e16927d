import { afterEach, describe, expect, test } from "vitest";
import type { FaultEffect } from "../../infra/local/aws/faults.ts";
import type { ZoomiesFleet } from "../../infra/local/fleets.ts";
import { startWorld, type TestWorld } from "../world.ts";

/**
 * What if the reply is lost, the call is throttled, the process dies before or after, the request lands late? For every
 * call that the functions make, and no further event: after the next minute run the group is right.
 */
const pool = "pool_123";
const linux: ZoomiesFleet = { name: "linux", pools: [pool], slotsPerHost: 4 };

/** Every call of a new demand on a stack that has not seen the pool before, in order, and the n-th of its operation. */
const webhookCalls = [
  ["secretsmanager:GetSecretValue", 1],
  ["dynamodb:BatchGetItem", 1],
  ["auto-scaling:DescribeAutoScalingGroups", 1],
  ["dynamodb:PutItem", 1],
  ["dynamodb:GetItem", 1],
  ["dynamodb:PutItem", 2],
  ["dynamodb:PutItem", 3],
  ["auto-scaling:DescribeAutoScalingGroups", 2],
  ["auto-scaling:SetDesiredCapacity", 1],
  ["dynamodb:PutItem", 4],
  ["dynamodb:PutItem", 5],
  ["dynamodb:GetItem", 2],
  ["dynamodb:PutItem", 6],
] as const;

/** Every call of a minute run that finds one raise in service and one recorded reading to settle. */
const reconcilerCalls = [
  ["auto-scaling:DescribeAutoScalingGroups", 1],
  ["dynamodb:GetItem", 1],
  ["dynamodb:GetItem", 2],
  ["dynamodb:PutItem", 1],
  ["auto-scaling:DescribeAutoScalingGroups", 2],
  ["auto-scaling:SetDesiredCapacity", 1],
  ["dynamodb:PutItem", 2],
  ["dynamodb:PutItem", 3],
  ["dynamodb:GetItem", 3],
  ["dynamodb:PutItem", 4],
] as const;

const faults: readonly [string, (nth: number) => FaultEffect & { at: { nth: number } | "every" | { next: number } }][] =
  [
    ["its reply is lost", (nth) => ({ kind: "reply-lost", at: { nth } })],
    ["its connection breaks", (nth) => ({ kind: "reset", at: { nth } })],
    ["it is throttled", (nth) => ({ kind: "throttle", at: { nth } })],
    ["it fails", (nth) => ({ kind: "error", code: "InternalFailure", httpStatus: 500, at: { nth } })],
    ["access is denied", (nth) => ({ kind: "error", code: "AccessDeniedException", httpStatus: 400, at: { nth } })],
    ["the process dies before it", (nth) => ({ kind: "kill", moment: "before", at: { nth } })],
    ["the process dies after it", (nth) => ({ kind: "kill", moment: "after", at: { nth } })],
  ];

let world: TestWorld;
afterEach(() => world.close());

async function start(fleet: ZoomiesFleet = linux): Promise<void> {
  world = await startWorld({ fleets: [fleet] });
}

const callsMade = () => world.faults.calls.map(({ service, operation }) => `${service}:${operation}`);
const numbered = (calls: readonly string[]) =>
  calls.map((call, index) => [call, calls.slice(0, index + 1).filter((each) => each === call).length]);

/** Desired capacity never fell, whatever else happened. */
function watch(): { falls: number } {
  const seen = { falls: 0 };
  world.cloud.on((change) => {
    if (change.type === "desired-capacity" && change.to < change.from) seen.falls += 1;
  });
  return seen;
}

test("the tables name every call that the functions make", async () => {
  await start();
  await world.send({ pool, capacity: 8, slots: 3 });
  expect(numbered(callsMade()).sort()).toEqual([...webhookCalls].sort());

  await recordOnly();
  world.faults.reset();
  await world.reconcile();
  expect(numbered(callsMade()).sort()).toEqual([...reconcilerCalls].sort());
});

/** A new demand that is recorded and not applied, because Auto Scaling was busy at that moment. */
async function recordOnly(): Promise<void> {
  world.advance(60_000);
  const busy = { kind: "error", code: "ScalingActivityInProgress", httpStatus: 400 } as const;
  const end = world.faults.add({ on: "auto-scaling:SetDesiredCapacity", ...busy });
  expect(await world.send({ pool, capacity: 8, slots: 13 })).toMatchObject({ status: 204, outcome: "recorded" });
  end();
}

describe.each(faults)("an event arrives and %s", (_, fault) => {
  test.each(webhookCalls)("(%s, number %i)", async (on, nth) => {
    await start();
    const seen = watch();
    const end = world.faults.add({ on, ...fault(nth) });
    const event = world.event({ pool, capacity: 8, slots: 3 });
    const reply = await world.send(event).catch(() => undefined);
    end();
    const recorded = world.faults.calls.some(
      ({ operation, outcome, input }) =>
        operation === "PutItem" && outcome !== "dead" && JSON.stringify(input).includes("group#linux"),
    );
    world.advance(60_000);
    const run = await world.reconcile();

    expect(run.outcome.kind).toBe("answered");
    expect(seen.falls).toBe(0);
    // Before the reading was recorded nothing was promised; its sender was told so, or was told nothing.
    if (reply?.status === 204) expect(world.group("linux").desired).toBe(3);
    if (!recorded) expect([0, 3]).toContain(world.group("linux").desired);
    if (reply?.status !== 204 && world.group("linux").desired === 0) {
      expect(await world.send(event)).toMatchObject({ status: 204 });
      await world.reconcile();
    }
    expect(world.group("linux").desired).toBe(3);
  });
});

describe.each(faults)("a minute run settles a reading and %s", (_, fault) => {
  test.each(reconcilerCalls)("(%s, number %i)", async (on, nth) => {
    await start();
    const seen = watch();
    await recordOnly();
    const end = world.faults.add({ on, ...fault(nth) });
    world.advance(60_000);
    await world.reconcile();
    end();
    world.advance(60_000);
    const run = await world.reconcile();
    expect(run.outcome.kind).toBe("answered");
    expect(seen.falls).toBe(0);
    expect(world.group("linux").desired).toBe(6);
  });
});

test("a raise that lands after its sender gave up lowers nothing that came later", async () => {
  await start({ ...linux, maxSize: 50 });
  const seen = watch();
  world.faults.add({ on: "auto-scaling:SetDesiredCapacity", kind: "delay", ms: 3_500, effect: "late", at: { nth: 1 } });
  const first = world.send({ pool, capacity: 8, slots: 3 });
  expect(await first).toMatchObject({ status: 503, code: "aws_unreachable" });
  // The lease outlives the raise, so a larger demand in the meantime is recorded and not sent across it.
  expect(await world.send({ pool, capacity: 8, slots: 30 })).toMatchObject({ status: 204, outcome: "recorded" });
  await expect.poll(() => world.group("linux").desired, { timeout: 20_000 }).toBe(3);
  world.advance(60_000);
  await world.reconcile();
  expect(world.group("linux").desired).toBe(10);
  expect(seen.falls).toBe(0);
});

test("a call throttled twice is repeated where it may be, and the raise is sent once", async () => {
  await start();
  world.faults.add({ on: "dynamodb:*", kind: "throttle", at: { next: 2 } });
  expect(await world.send({ pool, capacity: 8, slots: 3 })).toMatchObject({ status: 204, outcome: "applied" });
  world.faults.add({ on: "auto-scaling:SetDesiredCapacity", kind: "throttle", at: { next: 2 } });
  world.faults.reset();
  expect(await world.send({ pool, capacity: 8, slots: 13 })).toMatchObject({ status: 503 });
  expect(world.faults.count("auto-scaling:SetDesiredCapacity")).toBe(1);
  world.advance(60_000);
  await world.reconcile();
  world.advance(60_000);
  await world.reconcile();
  expect(world.group("linux").desired).toBe(6);
});

test("one sick group does not keep the minute run from the others, and the run says that it failed (cases.md 20)", async () => {
  world = await startWorld({
    fleets: ["a", "b", "c"].map((name) => ({ ...linux, name, pools: [`pool_${name}`] })),
  });
  const busy = { kind: "error", code: "ScalingActivityInProgress", httpStatus: 400 } as const;
  world.faults.add({ on: "auto-scaling:SetDesiredCapacity", ...busy });
  for (const name of ["a", "b", "c"]) await world.send({ pool: `pool_${name}`, capacity: 0, slots: 3 });
  world.faults.clear();
  world.faults.add({
    on: "auto-scaling:SetDesiredCapacity",
    kind: "error",
    code: "AccessDenied",
    where: (input: { AutoScalingGroupName?: string }) => input.AutoScalingGroupName === "b",
  });
  world.advance(60_000);
  const run = await world.reconcile();
  expect(run.outcome.kind).toBe("failed");
  expect(["a", "b", "c"].map((name) => world.group(name).desired)).toEqual([1, 0, 1]);
  expect(world.lines.join("\n")).toContain('"ConfigError":1');
});

test("two minute runs and an event at once raise a group once", async () => {
  await start();
  await recordOnly();
  world.advance(60_000);
  world.faults.reset();
  const event = world.event({ pool, capacity: 8, slots: 13 });
  await Promise.all([
    world.functions.invoke("ZoomiesReconciler", {}),
    world.functions.invoke("ZoomiesReconciler", {}),
    world.send(event),
  ]);
  expect(world.faults.count("auto-scaling:SetDesiredCapacity")).toBe(1);
  expect(world.group("linux").desired).toBe(6);
});

test("a denied call is a fault of configuration, whichever call it is (cases.md 21)", async () => {
  await start();
  for (const on of [
    "auto-scaling:DescribeAutoScalingGroups",
    "dynamodb:BatchGetItem",
    "secretsmanager:GetSecretValue",
  ]) {
    world.functions.restart();
    const before = world.lines.length;
    const end = world.faults.add({ on, kind: "error", code: "AccessDeniedException", httpStatus: 400 });
    expect(await world.send({ pool, capacity: 8, slots: 3 })).toMatchObject({ status: 503 });
    expect(world.lines.slice(before).join("\n")).toContain('"ConfigError":1');
    end();
  }
});
