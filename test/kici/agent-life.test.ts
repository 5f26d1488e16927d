import { afterEach, expect, test } from "vitest";
import { agent, type KiciWorld, launchByHand, scaler, startKici, tagOf } from "./kici-world.ts";

const agentTags = { "kici-managed": "by-hand", "kici-agent-id": agent, "kici-scaler": scaler };

let world: KiciWorld;
afterEach(() => world.close());

test("a scale-up launches one instance with its tags, and the scale-down ends it", async () => {
  world = await startKici();
  const up = await world.up();
  expect(up).toEqual({
    status: 201,
    retryAfter: undefined,
    answer: { status: "launched", agentId: agent, instanceId: expect.stringMatching(/^i-/) },
  });
  const [instance] = world.alive(agent);
  expect(instance?.InstanceId).toBe(up.answer.instanceId);
  expect(instance).toMatchObject({
    InstanceType: "m7i.large",
    SubnetId: "subnet-00000000000000001",
    MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1 },
  });
  expect(tagOf(instance, "drover:stack")).toBe(world.stack);
  expect(tagOf(instance, "kici-scaler")).toBe(scaler);
  expect(tagOf(instance, "drover:expires-at")).toBe(new Date(world.clock.now() + 120 * 60_000).toISOString());

  world.advance(60_000);
  const down = await world.down();
  expect(down).toMatchObject({ status: 200, answer: { status: "terminating", instanceId: up.answer.instanceId } });
  expect(world.alive()).toEqual([]);
  expect(await world.down()).toMatchObject({ status: 200, answer: { status: "absent" } });
  expect(world.launches()).toBe(1);
});

test("the same event again, another try of it and a late redelivery all name the same instance", async () => {
  world = await startKici();
  const payload = world.scaleUp();
  const { answer } = await world.up(payload);
  for (const wait of [0, 60_000, 60 * 60_000]) {
    world.advance(wait);
    expect(await world.up({ ...payload, requestId: "another", jobId: undefined })).toMatchObject({
      status: 200,
      answer: { status: "exists", instanceId: answer.instanceId },
    });
  }
  expect(world.launches()).toBe(1);
});

test("a scale-down that comes first is remembered for 14 days", async () => {
  world = await startKici();
  expect(await world.down()).toMatchObject({ status: 200, answer: { status: "absent", agentId: agent } });
  world.advance(13.9 * 24 * 3_600_000);
  expect(await world.up()).toMatchObject({ status: 200, answer: { status: "withdrawn", agentId: agent } });
  expect(world.launches()).toBe(0);
});

test("agents of one name at two scalers are two agents", async () => {
  world = await startKici([{ name: "a" }, { name: "b" }]);
  const first = await world.up(world.scaleUp({ scalerName: "a" }));
  const second = await world.up(world.scaleUp({ scalerName: "b" }));
  expect([first.status, second.status]).toEqual([201, 201]);
  await world.down(world.scaleDown({ scalerName: "a" }));
  expect(world.alive().map(({ InstanceId }) => InstanceId)).toEqual([second.answer.instanceId]);
});

test("an agent called * is one agent, and its scale-down ends no other", async () => {
  world = await startKici();
  await world.up();
  await world.up(world.scaleUp({ agentId: "scaler-event-????????" }));
  await world.down(world.scaleDown({ agentId: "*" }));
  await world.down(world.scaleDown({ agentId: "scaler-event-????????" }));
  expect(world.alive().map((instance) => tagOf(instance, "kici-agent-id"))).toEqual([agent]);
});

test("two scale-ups of one job are two agents: a job's id says nothing about an agent", async () => {
  world = await startKici();
  await world.up(world.scaleUp({ agentId: "scaler-event-aaaaaaaa" }));
  await world.up(world.scaleUp({ agentId: "scaler-event-bbbbbbbb" }));
  expect(world.launches()).toBe(2);
});

test.each(["shutdown", "heartbeat-timeout", "spawn-timeout", "idle", "job-complete", "drain", "brand-new"])(
  "a scale-down with reason %s tears down",
  async (reason) => {
    world = await startKici();
    await world.up();
    expect(await world.down(world.scaleDown({ reason }))).toMatchObject({ status: 200 });
    expect(world.alive()).toEqual([]);
    expect(world.lines.some((line) => line.includes("unknown reason"))).toBe(reason === "brand-new");
  },
);

test("a scaler that is no longer configured still tears down", async () => {
  world = await startKici([]);
  const template = world.addScaler({ name: scaler });
  await world.up();
  world.cloud.deleteLaunchTemplate(template);
  expect(await world.down()).toMatchObject({ status: 200, answer: { status: "terminating" } });
  expect(world.alive()).toEqual([]);
});

test("another stack's instance of an agent of the same name is left alone", async () => {
  world = await startKici();
  launchByHand(world, { "drover:stack": "another-stack", ...agentTags });
  await world.down();
  await world.reap();
  expect(world.alive()).toHaveLength(1);
});

test("an instance of an Auto Scaling group is left alone, whatever tags it carries", async () => {
  world = await startKici();
  launchByHand(world, { "drover:stack": world.stack, ...agentTags }, { "aws:autoscaling:groupName": "linux" });
  await world.down();
  await world.reap();
  expect(world.alive()).toHaveLength(1);
});
