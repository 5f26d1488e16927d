import { afterEach, expect, test } from "vitest";
import { agent, launchByHand, scaler, startKici } from "../kici/kici-world.ts";
import { trailOf } from "../observe/first-decisions.ts";
import { putItem } from "./ledger-items.ts";
import { answered, change, counted, membersOf, on, rebalance, spot, warning } from "./notices.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

// ---- KiCI ----

test("an interrupted agent's record is closed and its place is free at once", async () => {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  await answered(world);
  const other = { ...world.scaleUp(), agentId: "scaler-event-99999999" };
  expect((await world.up(other)).answer.code).toBe("scaler_at_cap");
  world.cloud.interruptSpot(answer.instanceId ?? "");
  expect(await answered(world)).toHaveLength(1);
  expect((await world.up(other)).answer.status).toBe("launched");
  expect((await world.reap()).outcome.kind).toBe("answered");
  expect(world.alive(agent).map(({ InstanceId }) => InstanceId)).toEqual([answer.instanceId]);
});

test("an agent that somebody ended is closed by EC2's word, and a recommendation alone closes nothing", async () => {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  const other = { ...world.scaleUp(), agentId: "scaler-event-99999999" };
  world.cloud.recommendRebalance(answer.instanceId ?? "");
  await answered(world);
  expect((await world.up(other)).answer.code).toBe("scaler_at_cap");
  world.cloud.terminateByHand(answer.instanceId ?? "");
  await answered(world);
  expect((await world.up(other)).answer.status).toBe("launched");
});

test("notices that come twice, late and in any order close a record once and free one place", async () => {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  const instance = answer.instanceId ?? "";
  world.advance(60_000);
  await answered(world);
  world.cloud.terminateByHand(instance);
  world.advance(60_000);
  await answered(world);
  const other = { ...world.scaleUp(), agentId: "scaler-event-99999999" };
  expect((await world.up(other)).answer.status).toBe("launched");
  const at = world.clock.now();
  const late = [warning(spot, instance, at), warning(rebalance, instance, at), change("stopping", instance, at)];
  for (const body of [...late, ...late, change("terminated", instance, at)]) world.queues.send("Interruptions", body);
  await answered(world);
  // The place is the other agent's now.
  expect((await world.up({ ...world.scaleUp(), agentId: "scaler-event-88888888" })).answer.code).toBe("scaler_at_cap");
  expect(world.alive("scaler-event-99999999")).toHaveLength(1);
  const closed = (await trailOf(world, `kici#${scaler}`)).filter(({ outcome }) => outcome === "closed");
  expect(closed).toHaveLength(1);
});

test.each([{ Mode: "observe" }, {}])(
  "what the ledger knows of an agent is closed whether Drover acts or not (%j)",
  async (mode) => {
    const world = await startKici({ name: scaler }, { parameters: { ...on, ...mode } });
    closing.push(world.close);
    const instance = launchByHand(world, {
      "drover:stack": world.stack,
      "kici-managed": world.stack,
      "kici-agent-id": agent,
      "kici-scaler": scaler,
    });
    world.advance(60_000);
    await putItem(world, {
      pk: `kici#${scaler}`,
      sk: `agent#${agent}`,
      body: { phase: "launched", instanceId: instance, architecture: "x86_64" },
    });
    world.faults.reset();
    world.cloud.interruptSpot(instance);
    await answered(world);
    const [last] = (await trailOf(world, `kici#${scaler}`)).slice(-1);
    expect(last).toMatchObject({ decided: "close its agent's record", reasons: ["interrupted"], outcome: "closed" });
    expect(world.faults.mutations().filter(({ service }) => service !== "dynamodb")).toEqual([]);
  },
);

// ---- Messages and strangers ----

test("instances that are not ours cost one read a batch, no second one, and leave no trace (cases.md 78)", async () => {
  const world = await startKici({ name: scaler }, { parameters: on });
  closing.push(world.close);
  const strangers = [1, 2, 3].map(() => launchByHand(world, { Name: "somebody's" }));
  world.advance(30_000);
  await answered(world);
  world.faults.reset();
  for (const id of strangers) world.cloud.interruptSpot(id);
  expect(await answered(world)).toHaveLength(1);
  const calls = world.faults.calls.map(({ service, operation }) => `${service}:${operation}`);
  expect(calls).toEqual(["ec2:DescribeInstances"]);
});

test("instances of somebody else's group cost one look at the group a minute, however many come and go", async () => {
  const world = await startKici({ name: scaler }, { parameters: on });
  closing.push(world.close);
  world.cloud.createGroup("theirs", { minSize: 3, maxSize: 3, desired: 3, tags: { Name: "somebody's" } });
  world.advance(60_000);
  const [first = "", second = "", third = ""] = membersOf(world, "theirs");
  const looks = async (): Promise<string[]> => {
    world.faults.reset();
    await answered(world);
    return world.faults.calls.map(({ service, operation }) => `${service}:${operation}`);
  };
  await looks();
  world.advance(61_000);
  world.cloud.interruptSpot(first, 3_600);
  world.cloud.interruptSpot(second, 3_600);
  expect(await looks()).toEqual(["ec2:DescribeInstances", "auto-scaling:DescribeAutoScalingGroups"]);
  world.cloud.interruptSpot(third, 3_600);
  expect(await looks()).toEqual(["ec2:DescribeInstances"]);
});

test("a message that nobody can read is put aside once with a metric, and its neighbours are handled (cases.md 14)", async () => {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  await answered(world);
  world.queues.send("Interruptions", "not json");
  world.cloud.interruptSpot(answer.instanceId ?? "");
  world.queues.send("Interruptions", "{}");
  expect(await answered(world)).toHaveLength(1);
  expect(counted(world).filter((each) => each === "ConfigError malformed_message")).toHaveLength(2);
  expect(world.queues.bodies("Interruptions")).toEqual([]);
  expect((await world.up({ ...world.scaleUp(), agentId: "scaler-event-99999999" })).answer.status).toBe("launched");
});

test("while EC2 throttles every message comes again and none is lost; after five tries they wait for a person (cases.md 13)", async () => {
  const world = await startKici({ name: scaler }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  await answered(world);
  world.faults.add({ on: "ec2:DescribeInstances", kind: "throttle" });
  for (let tries = 0; tries < 3; tries += 1) world.cloud.interruptSpot(answer.instanceId ?? "", 3_600);
  const [run] = await world.queues.deliver();
  const { batchItemFailures } =
    run?.outcome.kind === "answered"
      ? (run.outcome.value as { batchItemFailures: unknown[] })
      : { batchItemFailures: [] };
  expect(batchItemFailures).toHaveLength(3);
  expect(counted(world)).toContain("CallFailed throttled");
  for (let tries = 0; tries < 5; tries += 1) {
    world.advance(31_000);
    await world.queues.deliver();
  }
  expect(world.queues.bodies("Interruptions")).toEqual([]);
  expect(world.queues.bodies("InterruptionsFailed")).toHaveLength(3);
});

test("an instance that EC2 does not show yet comes again; an old unknown one is let go with a metric (cases.md 78)", async () => {
  const world = await startKici({ name: scaler }, { parameters: on });
  closing.push(world.close);
  world.queues.send("Interruptions", warning(spot, "i-0fedcba9876543210", world.clock.now()));
  await world.queues.deliver();
  expect(world.queues.bodies("Interruptions")).toHaveLength(1);
  world.advance(61_000);
  await world.queues.deliver();
  expect(world.queues.bodies("Interruptions")).toEqual([]);
  expect(counted(world)).toEqual(["CallFailed unseen"]);
});
