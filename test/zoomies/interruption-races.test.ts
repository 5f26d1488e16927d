import { expect, test } from "vitest";
import type { Answer } from "../../lib/interruption/handle-notices.ts";
import type { NoticeKind } from "../../lib/interruption/notice.ts";
import { hostsKey } from "../../lib/zoomies/host-notes.ts";
import { cordonInterrupted } from "../../lib/zoomies/interruption.ts";
import { LifeWorld, verified } from "./life-world.ts";

/** One host in service, and the id of its instance. */
async function oneHost(): Promise<{ world: LifeWorld; instance: string }> {
  const world = new LifeWorld(verified({ hooks: false, minSize: 1, tags: { "drover:idle-minutes": "120" } }));
  await world.minutes(3);
  const [{ id: instance } = { id: "" }] = world.instances();
  expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(false);
  return { world, instance };
}

/** What is decided about a notice at this moment. */
async function look(world: LifeWorld, instance: string, kind: NoticeKind): Promise<Answer> {
  const group = await world.parts.groups.named("linux");
  if (group === undefined) throw new Error("There is no group.");
  const notice = { instance, kind, at: world.clock.now() };
  return (await cordonInterrupted({ ...world.parts, hosts: world.zoomies }, group, notice)) as Answer;
}

const answer = async (world: LifeWorld, instance: string, kind: NoticeKind) =>
  (await look(world, instance, kind)).act?.();

/** A host that a recommendation cordoned, a moment before it is given back. */
async function nearlySpared() {
  const given = await oneHost();
  await answer(given.world, given.instance, "rebalance-recommendation");
  await given.world.minutes(14);
  expect(given.world.zoomies.hostNamed(given.instance)?.cordoned).toBe(true);
  return given;
}

/** Does something once, just before Zoomies gives the host back, or just after. */
function atGiveBack(world: LifeWorld, when: "before" | "after", act: () => Promise<unknown>): void {
  let isDone = false;
  world.zoomies.travel = async (call, effect) => {
    const isNow = !isDone && /^cordon .* false$/.test(call);
    isDone ||= isNow;
    if (isNow && when === "before") await act();
    const answered = await effect();
    if (isNow && when === "after") await act();
    return answered;
  };
}

test.each(["before", "after"] as const)(
  "a spot warning that is answered just %s its host is given back leaves it cordoned",
  async (when) => {
    const { world, instance } = await nearlySpared();
    atGiveBack(world, when, () => answer(world, instance, "spot-interruption"));
    await world.minutes(2);
    expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(true);
    await world.minutes(10);
    expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(true);
  },
);

test("a spot warning that found its host still cordoned, and is answered after it was given back, cordons it", async () => {
  const { world, instance } = await nearlySpared();
  const found = await look(world, instance, "spot-interruption");
  await world.minutes(2);
  expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(false);
  expect(await found.act?.()).toBe("it stays cordoned");
  expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(true);
});

test("a second recommendation keeps its host for another quarter of an hour; the first one again does not", async () => {
  const { world, instance } = await oneHost();
  const first = world.clock.now();
  await answer(world, instance, "rebalance-recommendation");
  await world.minutes(10);
  const group = await world.parts.groups.named("linux");
  if (group === undefined) throw new Error("There is no group.");
  const parts = { ...world.parts, hosts: world.zoomies };
  const repeated = { instance, kind: "rebalance-recommendation", at: first } as const;
  expect(await cordonInterrupted(parts, group, repeated)).toMatchObject({ because: "it is cordoned already" });
  await answer(world, instance, "rebalance-recommendation");
  await world.minutes(10);
  expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(true);
  await world.minutes(6);
  expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(false);
});

test("a notice of a host whose end is only intended marks it: the drain may still turn back", async () => {
  const { world, instance } = await oneHost();
  const hostId = world.zoomies.hostNamed(instance)?.id ?? "";
  await world.zoomies.cordon(hostId, true);
  const stored = await world.parts.records.read<{ instances: object }>(hostsKey("linux"));
  if (stored === undefined) throw new Error("There is no record.");
  const now = world.clock.now();
  const drain = { key: "k", phase: "terminating", hostId, startedAt: now, changedAt: now };
  const instances = { [instance]: { seenAt: 0, hostId, drain } };
  await world.parts.records.replace(hostsKey("linux"), stored, { ...stored.value, instances });
  expect(await look(world, instance, "spot-interruption")).toMatchObject({ decided: "cordon" });
});

test("a host that Zoomies will not give back keeps nobody from being bought, and is tried again", async () => {
  const { world, instance } = await nearlySpared();
  world.zoomies.fault = (call) => (/^cordon .* false$/.test(call) ? "before" : undefined);
  const queue = world.zoomies.queues.get("pool_a");
  if (queue !== undefined) queue.queued_jobs = 4;
  await world.minutes(3);
  expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(true);
  expect(world.desired()).toBe(2);
  world.zoomies.fault = () => undefined;
  await world.minutes(1);
  expect(world.zoomies.hostNamed(instance)?.cordoned).toBe(false);
});
