import { afterEach, expect, test } from "vitest";
import { explained } from "../../infra/explain/explained.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import type { Controller } from "../../infra/local/zoomies/controller.ts";
import { start as helmrStart } from "../contract/helmr/setting.ts";
import { trailOf } from "../observe/first-decisions.ts";
import { startWorld } from "../world.ts";
import { helmrBeside, helmrGroup } from "./helmr-world.ts";
import { type HostsWorld, startHosts } from "./hosts-world.ts";
import { ledgerItems } from "./ledger-items.ts";
import { answered, change, membersOf, on, rebalance, spot, warning } from "./notices.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

// ---- Zoomies ----

let controller: Controller;

/** A group of `hosts` hosts that all have joined, and Zoomies with its API beside it. */
async function zoomiesWorld(
  hosts: number,
  parameters: Record<string, string> = {},
  tags: Record<string, string> = {},
): Promise<HostsWorld> {
  const given = await startHosts({ hosts, tags, parameters: { ...on, ...parameters } }, closing);
  const { world } = given;
  ({ controller } = given);
  await world.reconcile();
  // Whatever came before is not what a test is about.
  await world.queues.deliver();
  return given;
}

test("a spot interruption cordons the host at once, its slots count as gone, and the same warning again changes nothing", async () => {
  const { world, members } = await zoomiesWorld(2);
  const [first = "", second = ""] = members();
  world.cloud.interruptSpot(first);
  expect(await answered(world)).toHaveLength(1);
  expect(controller.hostNamed(first)?.cordoned).toBe(true);
  expect(controller.hostNamed(second)?.cordoned).toBe(false);

  world.queues.send("Interruptions", warning(spot, first, world.clock.now()));
  await answered(world);
  expect(world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup")).toBe(0);

  // Two hosts' worth of jobs: the cordoned host is no supply any more, so that one is bought before EC2 takes it.
  await world.send({ pool: "pool_123", capacity: 4, slots: 4 });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(3);
  world.advance(150_000);
  expect(world.cloud.instance(first)?.State?.Name).toMatch(/shutting-down|terminated/);
  await answered(world);
});

test("two interruptions in one batch are two cordons and two lines in the trail, each with its reason (cases.md 80)", async () => {
  const { world, members } = await zoomiesWorld(3);
  const [first = "", second = "", third = ""] = members();
  world.cloud.interruptSpot(first);
  world.cloud.recommendRebalance(second);
  expect(await answered(world)).toHaveLength(1);
  expect([first, second, third].map((name) => controller.hostNamed(name)?.cordoned)).toEqual([true, true, false]);
  const told = world.lines.filter((line) => line.includes('"notice"')).map((line) => JSON.parse(line));
  expect(told.map(({ instance, outcome }) => [instance, outcome]).sort()).toEqual(
    [
      [first, "cordoned"],
      [second, "cordoned"],
    ].sort(),
  );
});

test("a host whose instance was not taken is given back after a quarter of an hour; one that a person cordoned never is", async () => {
  const { world, members } = await zoomiesWorld(2);
  const [spared = "", theirs = ""] = members();
  const host = controller.hostNamed(theirs);
  if (host !== undefined) host.cordoned = true;
  world.cloud.recommendRebalance(spared);
  world.cloud.recommendRebalance(theirs);
  await answered(world);
  expect(controller.hostNamed(spared)?.cordoned).toBe(true);
  world.advance(10 * 60_000);
  for (const name of members()) controller.speak(name);
  await world.reconcile();
  expect(controller.hostNamed(spared)?.cordoned).toBe(true);
  world.advance(6 * 60_000);
  for (const name of members()) controller.speak(name);
  await world.reconcile();
  expect(controller.hostNamed(spared)?.cordoned).toBe(false);
  expect(controller.hostNamed(theirs)?.cordoned).toBe(true);
});

test.each(["stopping", "shutting-down", "terminated"])(
  "a host whose instance is %s takes no more jobs and counts for nothing",
  async (state) => {
    const { world, members } = await zoomiesWorld(2);
    const [first = "", second = ""] = members();
    world.queues.send("Interruptions", change(state, first, world.clock.now()));
    await answered(world);
    expect([first, second].map((name) => controller.hostNamed(name)?.cordoned)).toEqual([true, false]);
    await world.send({ pool: "pool_123", capacity: 4, slots: 4 });
    await world.reconcile();
    expect(world.group("linux").desired).toBe(3);
  },
);

test("a spot warning that follows a recommendation counts anew: the host is not given back just before it is taken", async () => {
  const { world, members, minutes } = await zoomiesWorld(2);
  const [first = ""] = members();
  world.cloud.recommendRebalance(first);
  await answered(world);
  await minutes(14);
  world.cloud.interruptSpot(first, 10 * 60);
  await answered(world);
  await minutes(4);
  expect(controller.hostNamed(first)?.cordoned).toBe(true);
});

test("a warning that comes hours late for an instance that still runs does nothing", async () => {
  const { world, members } = await zoomiesWorld(1);
  const [first = ""] = members();
  for (const type of [spot, rebalance] as const) {
    world.queues.send("Interruptions", warning(type, first, world.clock.now() - 16 * 60_000));
  }
  await answered(world);
  expect(controller.hostNamed(first)?.cordoned).toBe(false);
  expect((await trailOf(world, "linux")).filter(({ reasons }) => reasons.includes("interrupted"))).toEqual([]);
});

test("a host on its way back from a drain stays cordoned while EC2's warning stands, and is given back when it was spared", async () => {
  const { world, members, minutes } = await zoomiesWorld(2, {}, { "drover:idle-minutes": "1" });
  world.cloud.updateGroup("linux", { minSize: 1 });
  const cordoned = () => members().find((name) => controller.hostNamed(name)?.cordoned);
  for (let minute = 0; cordoned() === undefined && minute < 10; minute += 1) await minutes(1);
  const drained = cordoned() ?? "";
  expect(drained).not.toBe("");
  world.cloud.recommendRebalance(drained);
  await answered(world);
  // The drain has no reason to go on any more, and would uncordon the host.
  world.cloud.updateGroup("linux", { minSize: 2 });
  await minutes(5);
  expect(controller.hostNamed(drained)?.cordoned).toBe(true);
  expect(members()).toContain(drained);
  await minutes(12);
  expect(controller.hostNamed(drained)?.cordoned).toBe(false);
  expect(members()).toContain(drained);
});

test.each([
  ["a stack that only observes", { Mode: "observe" }, {}, []],
  ["a paused group", {}, { "drover:paused": "for a while" }, ["the group is paused"]],
] as const)(
  "%s cordons nothing and marks nothing, and the trail says once what would be done",
  async (_, mode, tags, why) => {
    const { world, members, changes, minutes } = await zoomiesWorld(1, mode, tags);
    const [first = ""] = members();
    changes.length = 0;
    for (let time = 0; time < 2; time += 1) {
      world.cloud.interruptSpot(first, 3_600);
      expect(await answered(world)).toHaveLength(1);
    }
    await minutes(2);
    expect(changes).toEqual([]);
    expect((await ledgerItems(world)).filter(({ pk }) => pk.startsWith("interruptions#"))).toEqual([]);
    const told = (await trailOf(world, "linux")).filter(({ reasons }) => reasons.includes("interrupted"));
    expect(told).toMatchObject([{ decided: "cordon", reasons: ["interrupted", ...why], outcome: "observed" }]);
    expect(told.map(explained)).toMatchObject([{ action: "observed" }]);
  },
);

test("with scale-in off a cordon by notice is ours to undo all the same, and its slots count as gone meanwhile", async () => {
  const { world, members, minutes } = await zoomiesWorld(2, {}, { "drover:scale-in": "off" });
  const [first = ""] = members();
  world.cloud.recommendRebalance(first);
  await answered(world);
  expect(controller.hostNamed(first)?.cordoned).toBe(true);
  await world.send({ pool: "pool_123", capacity: 4, slots: 4 });
  await minutes(1);
  expect(world.group("linux").desired).toBe(3);
  await minutes(16);
  expect(controller.hostNamed(first)?.cordoned).toBe(false);
  const [marks] = (await ledgerItems(world)).filter(({ pk }) => pk.startsWith("interruptions#"));
  expect(marks?.body).toBe("{}");
});

test("a host that a drain of ours would give back counts as gone while EC2's warning keeps it", async () => {
  const { world, members, minutes } = await zoomiesWorld(2, {}, { "drover:idle-minutes": "1" });
  world.cloud.updateGroup("linux", { minSize: 1 });
  const cordoned = () => members().find((name) => controller.hostNamed(name)?.cordoned);
  for (let minute = 0; cordoned() === undefined && minute < 10; minute += 1) await minutes(1);
  world.cloud.recommendRebalance(cordoned() ?? "");
  await answered(world);
  await world.send({ pool: "pool_123", capacity: 4, slots: 4 });
  await minutes(1);
  expect(world.group("linux").desired).toBe(3);
});

test("what was only observed is nobody's to undo: a person's cordon stays after the stack has begun to act", async () => {
  const { world, members, minutes } = await zoomiesWorld(1, {}, { "drover:paused": "for a while" });
  const [first = ""] = members();
  world.cloud.recommendRebalance(first);
  await answered(world);
  const host = controller.hostNamed(first);
  if (host !== undefined) host.cordoned = true;
  const [group] = [...world.cloud.world.groups.values()].filter(({ name }) => name === "linux");
  group?.tags.delete("drover:paused");
  await minutes(20);
  expect(controller.hostNamed(first)?.cordoned).toBe(true);
});

// ---- Helmr ----

test("an interrupted Helmr host is drained with capacity_reduction, ticks go on, and meeting ticks are one", async () => {
  const { helmr, hostOf } = helmrBeside(1);
  const world = await startWorld({
    clock: new ManualClock(helmrStart),
    parameters: { ...on, HelmrCadence: "ticks" },
    helmr,
  });
  closing.push(world.close);
  for (let second = 0; second < 120; second += 1) world.advance(1_000);
  await world.queues.deliver();
  world.queues.fireSchedules();
  world.queues.fireSchedules();
  const runs = await world.queues.deliver();
  // Two minutes' first ticks met: one invocation, one cycle.
  expect(runs.map(({ functionId, outcome }) => [functionId, outcome.kind])).toEqual([["HelmrReconciler", "answered"]]);
  expect(world.lines.filter((line) => line.includes('"message":"cycle"'))).toHaveLength(1);
  expect(world.lines.filter((line) => line.includes('"RunCompleted":1'))).toHaveLength(1);
  world.advance(15_000);
  expect(await world.queues.deliver()).toHaveLength(1);

  const [instance = ""] = membersOf(world, helmrGroup);
  expect(hostOf(instance)?.status).toBe("active");
  world.cloud.interruptSpot(instance);
  await world.queues.deliver();
  expect(hostOf(instance)).toMatchObject({ status: expect.stringMatching(/draining|termination_ready|drained/) });
  expect(world.lines.some((line) => line.includes('"notice"') && line.includes('"draining"'))).toBe(true);
});

test.each([
  ["a stack that only observes", { Mode: "observe" }, {}, []],
  ["a paused group", {}, { "drover:paused": "for a while" }, ["the group is paused"]],
] as const)("%s drains no Helmr host, and the trail says once what would be done", async (_, mode, tags, why) => {
  const { helmr, hostOf, peer } = helmrBeside(1, tags);
  const world = await startWorld({ clock: new ManualClock(helmrStart), parameters: { ...on, ...mode }, helmr });
  closing.push(world.close);
  for (let second = 0; second < 120; second += 1) world.advance(1_000);
  await answered(world);
  const [instance = ""] = membersOf(world, helmrGroup);
  for (let time = 0; time < 2; time += 1) {
    world.cloud.interruptSpot(instance, 3_600);
    await answered(world);
  }
  expect(hostOf(instance)?.status).toBe("active");
  expect(peer().server.faults.count("drain")).toBe(0);
  const told = await trailOf(world, helmrGroup);
  expect(told).toMatchObject([{ decided: "drain its host", reasons: ["interrupted", ...why], outcome: "observed" }]);
  expect(told.map(explained)).toMatchObject([{ action: "observed" }]);
});
