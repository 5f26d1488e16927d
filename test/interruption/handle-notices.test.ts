import { randomUUID } from "node:crypto";
import type { SQSEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import type { Instance } from "../../lib/capacity/instances.ts";
import type { Logger } from "../../lib/edge/logger.ts";
import { carryOutIn } from "../../lib/edge/mode.ts";
import { handleNotices, type NoticeParts, type Response } from "../../lib/interruption/handle-notices.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { ledgerTrail } from "../../lib/ledger/trail.ts";
import { MemoryTable } from "../ledger/memory-table.ts";

const stack = "prod";
const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
const silent: Logger = { log: () => undefined, with: () => silent };
const ids = ["i-00000001", "i-00000002"] as const;

function made(respond: Response): NoticeParts {
  const table = new MemoryTable();
  const records = ledgerRecords(table, clock, randomUUID);
  const running = (id: string): Instance => ({
    id,
    state: "running",
    tags: { "drover:stack": stack },
    architecture: "x86_64",
    launchedAt: undefined,
  });
  return {
    stack,
    instances: { shown: async (asked) => asked.map(running) },
    groups: { named: async () => undefined },
    records,
    trail: ledgerTrail(records, table, clock, randomUUID),
    responses: [respond],
    carryOut: carryOutIn("act"),
    clock,
    logger: silent,
    metrics: { count: () => undefined },
  };
}

const batch = (...notices: readonly (readonly [string, string])[]): SQSEvent =>
  ({
    Records: notices.map(([instance, type], index) => ({
      messageId: `m-${index}`,
      body: JSON.stringify({
        source: "aws.ec2",
        "detail-type": type,
        time: new Date(clock.now()).toISOString(),
        detail: { "instance-id": instance },
      }),
    })),
  }) as unknown as SQSEvent;

const rebalance = "EC2 Instance Rebalance Recommendation";
const spot = "EC2 Spot Instance Interruption Warning";

test("a notice whose answer takes long holds up no other instance's", async () => {
  let end = () => {};
  const second = new Promise<void>((resolve) => {
    end = resolve;
  });
  const parts = made(async ({ instance }) => {
    if (instance.id === ids[0]) await second;
    else end();
    return { fleet: "linux", decided: "nothing" };
  });
  const answer = await handleNotices(parts, batch([ids[0], rebalance], [ids[1], rebalance]));
  expect(answer).toEqual({ batchItemFailures: [] });
}, 2_000);

test("notices of one instance are answered one after the other, in their order", async () => {
  const told: string[] = [];
  const parts = made(async ({ notice }) => {
    told.push(`${notice.kind} begins`);
    await Promise.resolve();
    told.push(`${notice.kind} ends`);
    return undefined;
  });
  await handleNotices(parts, batch([ids[0], rebalance], [ids[0], spot]));
  expect(told).toEqual([
    "rebalance-recommendation begins",
    "rebalance-recommendation ends",
    "spot-interruption begins",
    "spot-interruption ends",
  ]);
});

test("the same thing done for a later notice of the same kind is told again; the same notice twice is told once", async () => {
  const parts = made(async () => ({ fleet: "linux", decided: "cordon", act: async () => "cordoned" }));
  await handleNotices(parts, batch([ids[0], rebalance], [ids[0], rebalance]));
  clock.advance(3_600_000);
  await handleNotices(parts, batch([ids[0], rebalance]));
  expect(await parts.trail.since("linux", 0, 10)).toHaveLength(2);
});
