import { afterEach, describe, expect, test } from "vitest";
import { agent, type KiciWorld, startKici } from "./kici-world.ts";

let world: KiciWorld;
afterEach(() => world.close());

/** Runs something while the n-th call of an operation is on its way, before its effect. */
function atCall(on: string, nth: number, run: () => Promise<unknown>): Promise<unknown> {
  const done = Promise.withResolvers<unknown>();
  world.faults.add({ on, kind: "delay", ms: 1_500, effect: "late", at: { nth } });
  const look = setInterval(() => {
    if (world.faults.count(on) < nth) return;
    clearInterval(look);
    run().then(done.resolve, done.reject);
  }, 1);
  return done.promise;
}

test("a scale-down while the launch is on its way: the launch ends its own instance and says withdrawn", async () => {
  world = await startKici();
  const down = atCall("ec2:RunInstances", 1, () => world.down());
  const up = await world.up();
  expect(await down).toMatchObject({ status: 200, answer: { status: "terminating" } });
  expect(up).toMatchObject({ status: 200, answer: { status: "withdrawn" } });
  expect(world.alive()).toEqual([]);
  expect(world.launches()).toBe(1);
  expect(await world.down()).toMatchObject({ answer: { status: "absent" } });
});

test("a scale-down while EC2 refuses to end the launch's own instance: the answer says so, and the reaper ends it", async () => {
  world = await startKici();
  const end = world.faults.add({ on: "ec2:TerminateInstances", kind: "throttle" });
  const down = atCall("ec2:RunInstances", 1, () => world.down());
  const up = await world.up();
  await down;
  expect(up).toMatchObject({ status: 503, answer: { code: "RequestLimitExceeded" } });
  end();
  await world.reap();
  expect(world.alive()).toEqual([]);
});

test("a scale-down between two offerings: the second one is never asked", async () => {
  world = await startKici();
  world.cloud.setCapacity("m7i.large", "*", "none");
  const down = atCall("ec2:RunInstances", 1, () => world.down());
  const up = await world.up();
  await down;
  expect(up).toMatchObject({ status: 200, answer: { status: "withdrawn" } });
  expect(world.faults.count("ec2:RunInstances")).toBe(1);
  expect(world.launches()).toBe(0);
});

test("ten scale-ups of one agent at once launch it once: one 201, the rest 200 or 409 with Retry-After", async () => {
  world = await startKici();
  const payload = world.scaleUp();
  const replies = await Promise.all(Array.from({ length: 10 }, () => world.up(payload)));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { status, retryAfter } of replies) {
    expect([200, 201, 409]).toContain(status);
    if (status === 409) expect(retryAfter).toBeGreaterThan(0);
  }
  expect(world.launches()).toBe(1);
});

test("ten scale-downs at once all succeed", async () => {
  world = await startKici();
  await world.up();
  const replies = await Promise.all(Array.from({ length: 10 }, () => world.down()));
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(world.alive()).toEqual([]);
});

test("the same agent with another claim code is refused", async () => {
  world = await startKici();
  await world.up();
  expect(await world.up()).toMatchObject({ status: 409, answer: { code: "other_claim_code" } });
  expect(world.launches()).toBe(1);
});

test("an attempt is nobody else's until its function must have ended, and then a repeat takes it over", async () => {
  world = await startKici();
  world.faults.add({ on: "ec2:RunInstances", kind: "kill", moment: "after", at: { nth: 1 } });
  const payload = world.scaleUp();
  await world.up(payload).catch(() => undefined);
  world.advance(10_000);
  const early = await world.up(payload);
  expect(early).toMatchObject({ status: 409, answer: { code: "attempt_running" } });
  expect(early.retryAfter).toBeGreaterThan(10);
  expect(early.retryAfter).toBeLessThanOrEqual(20);
  world.advance(20_000);
  expect(await world.up(payload)).toMatchObject({ status: 201, answer: { agentId: agent } });
  expect(world.launches()).toBe(1);
});

describe("what EC2 says of a token", () => {
  test("of a terminated instance: the agent was launched once and is not launched again", async () => {
    world = await startKici();
    world.faults.add({ on: "ec2:RunInstances", kind: "kill", moment: "after", at: { nth: 1 } });
    const payload = world.scaleUp();
    await world.up(payload).catch(() => undefined);
    const [instance] = world.alive();
    world.cloud.terminateByHand(instance?.InstanceId ?? "");
    world.advance(31_000);
    const again = await world.up(payload);
    expect([again.status, world.launches()]).toEqual([expect.toBeOneOf([200, 201]), 1]);
    world.advance(60_000);
    expect((await world.up(payload)).status).toBe(200);
    expect(world.launches()).toBe(1);
  });

  test("that its parameters differ: the instance that it made is adopted, and nothing is launched", async () => {
    world = await startKici();
    world.faults.add({ on: "ec2:RunInstances", kind: "kill", moment: "after", at: { nth: 1 } });
    const payload = world.scaleUp();
    await world.up(payload).catch(() => undefined);
    world.advance(31_000);
    world.faults.add({ on: "ec2:RunInstances", kind: "error", code: "IdempotentParameterMismatch" });
    expect(await world.up(payload)).toMatchObject({ status: 200, answer: { status: "exists" } });
    expect(world.launches()).toBe(1);
  });

  test("that its parameters differ, and no instance is seen: it stays open, and a later run concludes it", async () => {
    world = await startKici();
    const end = world.faults.add({ on: "ec2:RunInstances", kind: "error", code: "IdempotentParameterMismatch" });
    const payload = world.scaleUp();
    expect(await world.up(payload)).toMatchObject({ status: 409, answer: { code: "attempt_unsettled" } });
    end();
    world.advance(16 * 60_000);
    await world.reap();
    expect((await world.up(payload)).status).toBe(201);
    expect(world.launches()).toBe(1);
  });
});

test("the same agent and code with other labels does not repeat an attempt under its token", async () => {
  world = await startKici();
  world.faults.add({ on: "ec2:RunInstances", kind: "kill", moment: "before", at: { nth: 1 } });
  const payload = world.scaleUp();
  await world.up(payload).catch(() => undefined);
  world.advance(31_000);
  world.faults.reset();
  expect(await world.up({ ...payload, labels: ["other"] })).toMatchObject({
    status: 409,
    answer: { code: "attempt_unsettled" },
  });
  expect(world.faults.count("ec2:RunInstances")).toBe(0);
  expect((await world.up(payload)).status).toBe(201);
});

test("a template that changed meanwhile does not change an attempt that was begun", async () => {
  world = await startKici([]);
  const template = world.addScaler({ name: "aws-linux" });
  world.faults.add({ on: "ec2:RunInstances", kind: "kill", moment: "after", at: { nth: 1 } });
  const payload = world.scaleUp();
  await world.up(payload).catch(() => undefined);
  world.cloud.addLaunchTemplateVersion(template, { KeyName: "new" }, { makeDefault: true });
  world.advance(31_000);
  expect((await world.up(payload)).status).toBe(201);
  expect(world.launches()).toBe(1);
});
