import { afterEach, expect, test } from "vitest";
import { agent, type KiciWorld, launchByHand, scaler, startKici, tagOf } from "./kici-world.ts";

let world: KiciWorld;
afterEach(() => world.close());

const minutes = (count: number) => world.advance(count * 60_000);
const inHours = (hours: number) => new Date(world.clock.now() + hours * 3_600_000).toISOString();
const tagsOf = (agentId: string, more: Record<string, string> = {}) => ({
  "drover:stack": world.stack,
  "kici-managed": "x",
  "kici-agent-id": agentId,
  "kici-scaler": scaler,
  "drover:expires-at": inHours(1),
  ...more,
});
const agentsAlive = () => world.alive().map((instance) => tagOf(instance, "kici-agent-id"));

test("a quiet run changes nothing and reports itself as good", async () => {
  world = await startKici();
  await world.up();
  minutes(15);
  world.faults.reset();
  expect((await world.reap()).outcome.kind).toBe("answered");
  expect(world.faults.mutations()).toEqual([]);
  expect(world.lines.some((line) => line.includes('"RunCompleted":1') && line.includes("kici-reaper"))).toBe(true);
});

test("an instance ends at the end of its life, and not before", async () => {
  world = await startKici({ name: scaler, maxLifetimeMinutes: 60 });
  await world.up();
  minutes(59);
  await world.reap();
  expect(world.alive()).toHaveLength(1);
  minutes(1);
  await world.reap();
  expect(world.alive()).toEqual([]);
  // Launched once: a redelivery does not bring it back.
  expect(await world.up()).toMatchObject({ status: 409, answer: { code: "other_claim_code" } });
});

test("a stopped instance is ended: nothing runs on it", async () => {
  world = await startKici();
  const { answer } = await world.up();
  minutes(1);
  world.cloud.stopByHand(answer.instanceId ?? "");
  minutes(5);
  await world.reap();
  expect(world.alive()).toEqual([]);
});

test("an instance that powered itself off frees its place, and its scale-up is not carried out again", async () => {
  world = await startKici({ name: scaler, maxInstances: 1 });
  const payload = world.scaleUp();
  const { answer } = await world.up(payload);
  minutes(1);
  world.cloud.powerOff(answer.instanceId ?? "");
  minutes(11);
  await world.reap();
  expect(await world.up(payload)).toMatchObject({ status: 200, answer: { status: "absent" } });
  expect((await world.up(world.scaleUp({ agentId: "next" }))).status).toBe(201);
});

test("a lost table kills no fleet: instances are adopted from their tags, counted again, and torn down as ever", async () => {
  world = await startKici({ name: scaler, maxInstances: 3 });
  for (const agentId of ["a", "b", "c"]) launchByHand(world, tagsOf(agentId));
  expect((await world.reap()).outcome.kind).toBe("answered");
  expect(agentsAlive()).toEqual(["a", "b", "c"]);
  expect((await world.up(world.scaleUp({ agentId: "d" }))).status).toBe(429);
  expect(await world.up(world.scaleUp({ agentId: "a" }))).toMatchObject({ status: 200, answer: { status: "exists" } });
  await world.down(world.scaleDown({ agentId: "b" }));
  expect(agentsAlive()).toEqual(["a", "c"]);
  expect((await world.up(world.scaleUp({ agentId: "d" }))).status).toBe(201);
  world.advance(3_600_000);
  await world.reap();
  expect(agentsAlive()).toEqual(["d"]);
});

test.each(["", "tomorrow", "2026-13-45T00:00:00Z", "1796083200"])(
  "an expiry that cannot be read (%j) is left alone and reported",
  async (written) => {
    world = await startKici();
    launchByHand(world, tagsOf("odd", { "drover:expires-at": written }));
    await world.reap();
    world.advance(30 * 24 * 3_600_000);
    await world.reap();
    expect(agentsAlive()).toEqual(["odd"]);
    expect(world.lines.some((line) => line.includes('"code":"no_expiry"'))).toBe(true);
    expect(world.lines.some((line) => line.includes('"ConfigError":1'))).toBe(true);
    await world.down(world.scaleDown({ agentId: "odd" }));
    expect(world.alive()).toEqual([]);
  },
);

test.each(["kici-managed", "kici-agent-id", "kici-scaler", "drover:stack"])(
  "an instance without the tag %s is no candidate",
  async (tag) => {
    world = await startKici();
    const tags: Record<string, string> = tagsOf("a", { "drover:expires-at": inHours(-1) });
    delete tags[tag];
    launchByHand(world, tags);
    await world.reap();
    expect(world.alive()).toHaveLength(1);
  },
);

test("one protected instance does not shield the others, and the run says that it failed", async () => {
  world = await startKici();
  const ids = ["a", "b", "c"].map((agentId) =>
    launchByHand(world, tagsOf(agentId, { "drover:expires-at": inHours(-1) })),
  );
  world.cloud.protectFromTermination(ids[1] ?? "", true);
  const run = await world.reap();
  expect(run.outcome).toMatchObject({ kind: "failed", message: expect.stringContaining("1 of 3") });
  expect(agentsAlive()).toEqual(["b"]);
  expect(world.lines.some((line) => line.includes("OperationNotPermitted"))).toBe(true);
  world.cloud.protectFromTermination(ids[1] ?? "", false);
  expect((await world.reap()).outcome.kind).toBe("answered");
  expect(agentsAlive()).toEqual([]);
});

test("a list that could not be read whole leads to no decision at all", async () => {
  world = await startKici();
  launchByHand(world, tagsOf("a", { "drover:expires-at": inHours(-1) }));
  world.faults.add({ on: "ec2:DescribeInstances", kind: "error", code: "InternalError", httpStatus: 500 });
  world.faults.reset();
  expect((await world.reap()).outcome.kind).toBe("failed");
  expect(world.faults.mutations()).toEqual([]);
});

test("more than a thousand instances: every page is read, and all that is over is ended", async () => {
  world = await startKici();
  world.cloud.addSubnet({ id: "subnet-00000000000000001", zone: "eu-west-1a", freeAddresses: 4_000 });
  for (let index = 0; index < 1_150; index += 1) {
    const expires = index % 10 === 0 ? inHours(-1) : inHours(2);
    launchByHand(world, tagsOf(`agent-${index}`, { "drover:expires-at": expires }));
  }
  expect((await world.reap()).outcome.kind).toBe("answered");
  expect(world.alive()).toHaveLength(1_035);
  expect(world.faults.count("ec2:DescribeInstances")).toBe(2);
});

test("a run that has no time left saves where it stopped, and the next one goes on there (cases.md 8)", async () => {
  world = await startKici();
  world.cloud.addSubnet({ id: "subnet-00000000000000001", zone: "eu-west-1a", freeAddresses: 4_000 });
  const expired = (index: number) => tagsOf(`agent-${index}`, { "drover:expires-at": inHours(-1) });
  const ids = Array.from({ length: 150 }, (_, index) => launchByHand(world, expired(index))).sort();
  // The first page of a run cannot be ended, and every call for it takes a second of the world's time.
  for (const id of ids.slice(0, 100)) world.cloud.protectFromTermination(id, true);
  world.faults.add({
    on: "ec2:TerminateInstances",
    kind: "throttle",
    where() {
      world.clock.set(world.clock.now() + 1_000);
      return false;
    },
  });
  expect((await world.reap()).outcome.kind).toBe("failed");
  expect(world.alive()).toHaveLength(150);
  world.functions.restart();
  expect((await world.reap()).outcome.kind).toBe("failed");
  expect(world.alive()).toHaveLength(100);
});

test("an attempt that never launched keeps its place until EC2 could not lag any more", async () => {
  world = await startKici({ name: scaler, maxInstances: 1 });
  world.faults.add({ on: "ec2:RunInstances", kind: "kill", moment: "before", at: { nth: 1 } });
  const payload = world.scaleUp();
  await world.up(payload).catch(() => undefined);
  minutes(5);
  await world.reap();
  expect((await world.up(world.scaleUp({ agentId: "other" }))).status).toBe(429);
  minutes(11);
  await world.reap();
  expect((await world.up(world.scaleUp({ agentId: "other" }))).status).toBe(201);
});

test("a withdrawn attempt that launched and was never recorded is ended by the next run", async () => {
  world = await startKici();
  world.cloud.setDescribeLag(20_000);
  world.faults.add({ on: "ec2:RunInstances", kind: "kill", moment: "after", at: { nth: 1 } });
  await world.up().catch(() => undefined);
  expect(await world.down()).toMatchObject({ status: 200, answer: { status: "terminating", agentId: agent } });
  expect(world.alive()).toHaveLength(1);
  minutes(5);
  await world.reap();
  expect(world.alive()).toEqual([]);
  minutes(1);
  expect(await world.down()).toMatchObject({ answer: { status: "absent" } });
});

test("an instance that lost its tags keeps its place and is reported: nobody can end it for us", async () => {
  world = await startKici({ name: scaler, maxInstances: 1 });
  const { answer } = await world.up();
  const id = answer.instanceId ?? "";
  world.cloud.world.instances.get(id)?.tags.clear();
  world.cloud.world.instanceViews.changed(id);
  minutes(11);
  await world.reap();
  expect(world.lines.some((line) => line.includes('"code":"tags_lost"') && line.includes(id))).toBe(true);
  expect((await world.up(world.scaleUp({ agentId: "next" }))).status).toBe(429);
});
