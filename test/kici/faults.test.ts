import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FaultEffect } from "../../infra/local/aws/faults.ts";
import { ledgerItems } from "../functions/ledger-items.ts";
import { agent, type KiciReply, type KiciWorld, launchByHand, scaler, startKici } from "./kici-world.ts";

/**
 * What if the reply is lost, the connection breaks, the call is throttled or refused, the process dies before or after? For
 * every call that each function makes: at most one instance ever ran, and what was promised is kept by the next run.
 */
type Nth = { at: { nth: number } };
const faults: readonly [string, (nth: number) => FaultEffect & Nth][] = [
  ["its reply is lost", (nth) => ({ kind: "reply-lost", at: { nth } })],
  ["its connection breaks", (nth) => ({ kind: "reset", at: { nth } })],
  ["it is throttled", (nth) => ({ kind: "throttle", at: { nth } })],
  ["it fails", (nth) => ({ kind: "error", code: "InternalError", httpStatus: 500, at: { nth } })],
  ["access is denied", (nth) => ({ kind: "error", code: "UnauthorizedOperation", httpStatus: 403, at: { nth } })],
  ["the process dies before it", (nth) => ({ kind: "kill", moment: "before", at: { nth } })],
  ["the process dies after it", (nth) => ({ kind: "kill", moment: "after", at: { nth } })],
];

let world: KiciWorld;
afterEach(() => world.close());

type Call = readonly [on: string, nth: number];

/** Every call of a piece of work, in order, with the n-th of its operation. */
async function callsOf(prepare: () => Promise<unknown>, work: () => Promise<unknown>): Promise<Call[]> {
  await prepare();
  world.faults.reset();
  await work();
  const seen = new Map<string, number>();
  return world.faults.calls.map(({ service, operation }) => {
    const on = `${service}:${operation}`;
    seen.set(on, (seen.get(on) ?? 0) + 1);
    return [on, seen.get(on) ?? 1] as const;
  });
}

const tried = (ask: Promise<KiciReply>) => ask.catch(() => undefined);
const minutes = (count: number) => world.advance(count * 60_000);

/** The places that are taken in the ledger, read past the functions. */
async function placesTaken(): Promise<number> {
  await world.reap();
  const [set] = await setItems();
  return set ?? 0;
}
async function setItems(): Promise<number[]> {
  const { DynamoDBClient, GetItemCommand } = await import("@aws-sdk/client-dynamodb");
  const client = new DynamoDBClient({
    endpoint: world.dynamodb,
    region: "eu-west-1",
    credentials: { accessKeyId: "AKIATEST", secretAccessKey: "test" },
  });
  const Key = { pk: { S: `live#kici#${scaler}` }, sk: { S: "x86_64" } };
  const { Item } = await client.send(new GetItemCommand({ TableName: world.table, Key, ConsistentRead: true }));
  client.destroy();
  return [Object.keys(Item?.["places"]?.M ?? {}).length];
}

const start = async () => {
  world = await startKici();
};

describe("a scale-up", () => {
  let calls: readonly Call[] = [];
  beforeAll(async () => {
    calls = await callsOf(start, () => world.up());
    await world.close();
  });

  test("makes these calls, in a cold environment on a stack that knows nothing", async () => {
    await start();
    expect(calls.map(([on]) => on)).toEqual([
      "secretsmanager:GetSecretValue",
      "dynamodb:GetItem",
      "ec2:DescribeLaunchTemplates",
      "ec2:DescribeInstanceTypes",
      "ec2:DescribeLaunchTemplateVersions",
      "dynamodb:BatchGetItem",
      // The scaler's first agent ever: its set is opened.
      "dynamodb:UpdateItem",
      "dynamodb:GetItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
      "dynamodb:PutItem",
      "ec2:RunInstances",
      "dynamodb:PutItem",
      // The trail's line, and its fleet's name, which an environment looks for once.
      "dynamodb:PutItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
    ]);
  });

  test.each(faults)("launches once and is torn down, though %s", async (_, fault) => {
    for (const [on, nth] of calls) {
      await start();
      const end = world.faults.add({ on, ...fault(nth) });
      const payload = world.scaleUp();
      let reply = await tried(world.up(payload));
      end();
      for (let tries = 0; tries < 4 && reply?.status !== 200 && reply?.status !== 201; tries += 1) {
        world.advance(31_000);
        reply = await tried(world.up(payload));
      }
      expect([on, nth, reply?.status]).toEqual([on, nth, expect.toBeOneOf([200, 201])]);
      expect([on, nth, world.launches(), world.alive(agent).length]).toEqual([on, nth, 1, 1]);
      minutes(11);
      expect((await world.reap()).outcome.kind).toBe("answered");
      expect(world.alive(agent)).toHaveLength(1);

      expect((await world.down()).status).toBe(200);
      minutes(11);
      expect([on, nth, await placesTaken(), world.alive().length, world.launches()]).toEqual([on, nth, 0, 0, 1]);
      await world.close();
    }
    await start();
  });

  test.each(faults)("is never carried out after a scale-down, though %s", async (_, fault) => {
    for (const [on, nth] of calls) {
      await start();
      const end = world.faults.add({ on, ...fault(nth) });
      const payload = world.scaleUp();
      await tried(world.up(payload));
      end();
      const launchesBefore = world.launches();
      expect((await world.down()).status).toBe(200);
      world.advance(31_000);
      const again = await world.up(payload);
      expect([on, nth, again.status, again.answer.status]).toEqual([on, nth, 200, "withdrawn"]);
      minutes(11);
      expect((await world.reap()).outcome.kind).toBe("answered");
      minutes(6);
      expect([on, nth, await placesTaken(), world.alive().length]).toEqual([on, nth, 0, 0]);
      expect(world.launches()).toBe(launchesBefore);
      await world.close();
    }
    await start();
  });
});

describe("a scale-down", () => {
  const prepare = async () => {
    await start();
    await world.up();
    minutes(1);
  };
  let calls: readonly Call[] = [];
  beforeAll(async () => {
    calls = await callsOf(prepare, () => world.down());
    await world.close();
  });

  test("makes these calls", async () => {
    await start();
    expect(calls.map(([on]) => on)).toEqual([
      "secretsmanager:GetSecretValue",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "ec2:DescribeInstances",
      "ec2:DescribeLaunchTemplates",
      "ec2:TerminateInstances",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
      "dynamodb:PutItem",
      "dynamodb:GetItem",
    ]);
  });

  test.each(faults)("once answered with 2xx is kept by the reaper alone, though %s", async (_, fault) => {
    for (const [on, nth] of calls) {
      await prepare();
      const end = world.faults.add({ on, ...fault(nth) });
      const reply = await tried(world.down());
      end();
      // Nothing was promised before the tombstone was durable: the workflow tries again.
      const isWithdrawn = (await ledgerItems(world)).some(({ body }) => body.includes('"withdrawn"'));
      if (reply?.status === 200) expect(isWithdrawn).toBe(true);
      if (!isWithdrawn) expect((await world.down()).status).toBe(200);
      minutes(11);
      const run = await world.reap();
      expect([on, nth, run.outcome.kind, world.alive().length]).toEqual([on, nth, "answered", 0]);
      minutes(11);
      expect([on, nth, await placesTaken()]).toEqual([on, nth, 0]);
      expect((await world.down()).answer.status).toBe("absent");
      await world.close();
    }
    await start();
  });
});

describe("a reaper run", () => {
  /** One agent of each fate: withdrawn while EC2 refused, expired, unknown to the ledger, and well. */
  const prepare = async () => {
    world = await startKici([{ name: scaler }, { name: "short", maxLifetimeMinutes: 20 }]);
    await world.up(world.scaleUp({ agentId: "well" }));
    await world.up(world.scaleUp({ agentId: "withdrawn" }));
    await world.up(world.scaleUp({ agentId: "expired", scalerName: "short" }));
    const soon = new Date(world.clock.now() + 3_600_000).toISOString();
    const tags = { "kici-managed": "x", "kici-agent-id": "adopted", "kici-scaler": scaler, "drover:expires-at": soon };
    launchByHand(world, { "drover:stack": world.stack, ...tags });
    const end = world.faults.add({ on: "ec2:TerminateInstances", kind: "throttle" });
    expect((await world.down(world.scaleDown({ agentId: "withdrawn" }))).status).toBe(503);
    end();
    minutes(21);
  };
  const aliveAgents = () =>
    world
      .alive()
      .map((instance) => instance.Tags?.find(({ Key }) => Key === "kici-agent-id")?.Value)
      .sort();
  let calls: readonly Call[] = [];
  beforeAll(async () => {
    calls = await callsOf(prepare, () => world.reap());
    await world.close();
  });

  test.each(faults)("that meets a fault is mended by the next, though %s", async (_, fault) => {
    for (const [on, nth] of calls) {
      await prepare();
      const end = world.faults.add({ on, ...fault(nth) });
      await world.reap();
      end();
      minutes(5);
      const run = await world.reap();
      expect([on, nth, run.outcome.kind, aliveAgents()]).toEqual([on, nth, "answered", ["adopted", "well"]]);
      minutes(11);
      expect([on, nth, await placesTaken()]).toEqual([on, nth, 2]);
      await world.close();
    }
    await start();
  });
});
