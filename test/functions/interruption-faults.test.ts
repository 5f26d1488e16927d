import { afterEach, describe, expect, test } from "vitest";
import type { FaultEffect } from "../../infra/local/aws/faults.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { start as helmrStart } from "../contract/helmr/setting.ts";
import { agent, type KiciWorld, scaler, startKici } from "../kici/kici-world.ts";
import { trailOf } from "../observe/first-decisions.ts";
import { startWorld, type TestWorld } from "../world.ts";
import { type HelmrBeside, helmrBeside, helmrGroup } from "./helmr-world.ts";
import { type HostsWorld, startHosts } from "./hosts-world.ts";
import { ledgerItems } from "./ledger-items.ts";
import { answered, membersOf, on } from "./notices.ts";

/**
 * What if the reply is lost, the call is throttled or refused, the process dies before or after? For every call that answering a notice makes:
 * once the queue has handed it out again, what there was to do is done, once, and the queue is empty.
 */
const faults: readonly [string, (nth: number) => FaultEffect & { at: { nth: number } }][] = [
  ["its reply is lost", (nth) => ({ kind: "reply-lost", at: { nth } })],
  ["its connection breaks", (nth) => ({ kind: "reset", at: { nth } })],
  ["it is throttled", (nth) => ({ kind: "throttle", at: { nth } })],
  ["access is denied", (nth) => ({ kind: "error", code: "AccessDeniedException", httpStatus: 400, at: { nth } })],
  ["the process dies before it", (nth) => ({ kind: "kill", moment: "before", at: { nth } })],
  ["the process dies after it", (nth) => ({ kind: "kill", moment: "after", at: { nth } })],
];

type Calls = readonly (readonly [string, number])[];
const zoomiesCalls: Calls = [
  ["ec2:DescribeInstances", 1],
  ["auto-scaling:DescribeAutoScalingGroups", 1],
  ["dynamodb:BatchGetItem", 1],
  ["secretsmanager:GetSecretValue", 1],
  ["dynamodb:GetItem", 1],
  ["dynamodb:PutItem", 1],
  ["dynamodb:GetItem", 2],
  ["dynamodb:PutItem", 2],
  ["dynamodb:PutItem", 3],
  ["dynamodb:GetItem", 3],
];
const kiciCalls: Calls = [
  ["ec2:DescribeInstances", 1],
  ["dynamodb:GetItem", 1],
  ["dynamodb:PutItem", 1],
  ["dynamodb:UpdateItem", 1],
  ["dynamodb:GetItem", 2],
  ["dynamodb:PutItem", 2],
  ["dynamodb:PutItem", 3],
  ["dynamodb:GetItem", 3],
];
const helmrCalls: Calls = [
  ["ec2:DescribeInstances", 1],
  ["auto-scaling:DescribeAutoScalingGroups", 1],
  ["dynamodb:GetItem", 1],
  ["secretsmanager:GetSecretValue", 1],
  ["dynamodb:GetItem", 2],
  ["dynamodb:PutItem", 1],
  ["dynamodb:PutItem", 2],
  ["dynamodb:GetItem", 3],
  ["dynamodb:PutItem", 3],
];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const numbered = ({ faults: { calls } }: TestWorld) => {
  const names = calls.map(({ service, operation }) => `${service}:${operation}`);
  return names.map((call, index) => [call, names.slice(0, index + 1).filter((each) => each === call).length]);
};

/** What waits is handed out again until nothing is left. */
async function again(world: TestWorld): Promise<void> {
  for (let tries = 0; tries < 5 && world.queues.bodies("Interruptions").length > 0; tries += 1) {
    world.advance(31_000);
    await world.queues.deliver();
  }
  expect(world.queues.bodies("Interruptions")).toEqual([]);
  expect(world.queues.bodies("InterruptionsFailed")).toEqual([]);
}

/** The notice was answered, and the trail tells of it. */
async function isTold(world: TestWorld, fleet: string): Promise<void> {
  const told = (await trailOf(world, fleet)).filter(({ reasons }) => reasons.includes("interrupted"));
  expect(told.length).toBeGreaterThan(0);
}

async function zoomies(): Promise<HostsWorld & { instance: string }> {
  const given = await startHosts({ hosts: 1, parameters: on }, closing);
  await given.world.reconcile();
  await answered(given.world);
  given.world.functions.restart();
  given.world.faults.reset();
  const [instance = ""] = given.members();
  given.world.cloud.recommendRebalance(instance);
  return { ...given, instance };
}

/** Cordoned, and ours to undo. */
async function isCordoned({ world, controller, instance, changes }: HostsWorld & { instance: string }): Promise<void> {
  expect(controller.hostNamed(instance)?.cordoned).toBe(true);
  const items = await ledgerItems(world);
  const marks = items.find(({ pk }) => pk === "interruptions#linux")?.body ?? "{}";
  expect(JSON.parse(marks)).toMatchObject({ [instance]: { kind: "rebalance-recommendation" } });
  expect(changes.every((route) => route === "POST /hosts/{id}/cordon")).toBe(true);
  await isTold(world, "linux");
}

async function kici(): Promise<{ world: KiciWorld; instance: string }> {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  await answered(world);
  world.functions.restart();
  world.faults.reset();
  world.cloud.interruptSpot(answer.instanceId ?? "", 3_600);
  return { world, instance: answer.instanceId ?? "" };
}

async function helmr(): Promise<{ world: TestWorld; instance: string } & HelmrBeside> {
  const beside = helmrBeside(1);
  const world = await startWorld({ clock: new ManualClock(helmrStart), parameters: on, helmr: beside.helmr });
  closing.push(world.close);
  for (let second = 0; second < 120; second += 1) world.advance(1_000);
  await answered(world);
  const [instance = ""] = membersOf(world, helmrGroup);
  world.functions.restart();
  world.faults.reset();
  world.cloud.interruptSpot(instance, 3_600);
  return { world, instance, ...beside };
}

test("the tables name every call that a notice makes", async () => {
  for (const [start, calls] of [
    [zoomies, zoomiesCalls],
    [kici, kiciCalls],
    [helmr, helmrCalls],
  ] as const) {
    const { world } = await start();
    await answered(world);
    expect(numbered(world).sort()).toEqual([...calls].sort());
  }
});

describe.each(faults)("EC2 gives notice of a Zoomies host and %s", (_, fault) => {
  test.each(zoomiesCalls)("(%s, number %i)", async (on, nth) => {
    const given = await zoomies();
    const end = given.world.faults.add({ on, ...fault(nth) });
    await given.world.queues.deliver();
    end();
    await again(given.world);
    await isCordoned(given);
  });
});

test.each([
  ["GET /hosts", { kind: "unreachable" }],
  ["GET /hosts", { kind: "error", status: 503 }],
  ["POST /hosts/{id}/cordon", { kind: "unreachable" }],
  ["POST /hosts/{id}/cordon", { kind: "reply-lost" }],
  ["POST /hosts/{id}/cordon", { kind: "error", status: 429 }],
  ["POST /hosts/{id}/cordon", { kind: "error", status: 500 }],
] as const)("Zoomies' %s fails (%j), and the host is cordoned all the same, ours to undo", async (on, fault) => {
  const given = await zoomies();
  const end = given.api.add({ on, ...fault });
  await given.world.queues.deliver();
  end();
  await again(given.world);
  await isCordoned(given);
});

describe.each(faults)("EC2 gives notice of a KiCI agent and %s", (_, fault) => {
  test.each(kiciCalls)("(%s, number %i)", async (on, nth) => {
    const { world } = await kici();
    const end = world.faults.add({ on, ...fault(nth) });
    await world.queues.deliver();
    end();
    await again(world);
    const other = { ...world.scaleUp(), agentId: "scaler-event-99999999" };
    expect((await world.up(other)).answer.status).toBe("launched");
    const record = (await ledgerItems(world)).find(({ sk }) => sk === `agent#${agent}`);
    expect(JSON.parse(record?.body ?? "{}")).toMatchObject({ phase: "ended" });
    await isTold(world, `kici#${scaler}`);
  });
});

/** Drained once, for the reason of the contract. */
async function isDrained({ world, instance, hostOf, peer }: Awaited<ReturnType<typeof helmr>>): Promise<void> {
  expect(hostOf(instance)?.status).toMatch(/draining|termination_ready/);
  const drains = peer().server.faults.calls.filter(({ operation }) => operation === "drain");
  for (const { body } of drains) expect(body).toMatchObject({ reason: "capacity_reduction" });
  expect(drains.filter(({ outcome }) => outcome === "ok" || outcome === "lost").length).toBeGreaterThan(0);
  await isTold(world, helmrGroup);
}

describe.each(faults)("EC2 gives notice of a Helmr host and %s", (_, fault) => {
  test.each(helmrCalls)("(%s, number %i)", async (on, nth) => {
    const given = await helmr();
    const end = given.world.faults.add({ on, ...fault(nth) });
    await given.world.queues.deliver();
    end();
    await again(given.world);
    await isDrained(given);
  });
});

test.each([
  ["hosts", { kind: "unreachable" }],
  ["hosts", { kind: "error", status: 503 }],
  ["drain", { kind: "unreachable" }],
  ["drain", { kind: "reply-lost" }],
  ["drain", { kind: "error", status: 500 }],
  ["drain", { kind: "error", status: 409, code: "worker_host_claim_conflict" }],
] as const)("Helmr's %s fails (%j), and the host is drained all the same, from a new look", async (on, fault) => {
  const given = await helmr();
  const end = given.peer().server.faults.add({ on, ...fault });
  await given.world.queues.deliver();
  end();
  await again(given.world);
  await isDrained(given);
});
