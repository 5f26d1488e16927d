import { type AttributeValue, DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { launchHook } from "../../infra/local/launch-hook.ts";
import { agent, type KiciWorld, scaler, startKici } from "../kici/kici-world.ts";
import { startOfTime, type TestWorld } from "../world.ts";
import { helmrBeside, helmrGroup } from "./helmr-world.ts";
import { askToJoin, pool, startHosts } from "./hosts-world.ts";
import { putStored } from "./ledger-items.ts";
import { membersOf, on } from "./notices.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Stored = Readonly<Record<string, AttributeValue>>;

/** Everything in the ledger, attribute by attribute, by its key. */
async function everything(world: TestWorld): Promise<Map<string, Stored>> {
  const credentials = { accessKeyId: "AKIATEST", secretAccessKey: "test" };
  const client = new DynamoDBClient({ endpoint: world.dynamodb, region: "eu-west-1", credentials });
  const items = new Map<string, Stored>();
  for await (const page of paginateScan({ client }, { TableName: world.table, ConsistentRead: true })) {
    for (const item of page.Items ?? []) items.set(`${item["pk"]?.S} ${item["sk"]?.S}`, item);
  }
  client.destroy();
  return items;
}

test("after a rollback, what the newer release wrote is overwritten by nobody, and nothing is done on its account", async () => {
  const joining = { name: "joining", pools: ["pool_joining"], slotsPerHost: 4, group: { hooks: [launchHook] } };
  const beside = helmrBeside(2);
  const given = await startHosts(
    {
      clock: new ManualClock(startOfTime),
      hosts: 3,
      minSize: 1,
      tags: { "drover:idle-minutes": "1" },
      fleets: [joining],
      parameters: { ...on, HelmrCadence: "ticks" },
      helmr: beside.helmr,
      start: (options) => startKici({ name: scaler }, options),
    },
    closing,
  );
  const world = given.world as KiciWorld;
  const { controller, members } = given;
  controller.addPool({ id: "pool_joining" });
  world.cloud.setDesired("joining", 1);
  world.advance(60_000);
  const joiner = membersOf(world, "joining")[0] ?? "";

  /** Everything that anybody asks of the functions, once. */
  async function all(): Promise<void> {
    await world.send({ pool, capacity: 12, slots: 4 }).catch(() => undefined);
    await world.up(world.scaleUp({ claimCode: "c".repeat(64) })).catch(() => undefined);
    await world.up(world.scaleUp({ agentId: "scaler-event-00000002" })).catch(() => undefined);
    await askToJoin(world, joiner).catch(() => undefined);
    world.cloud.recommendRebalance(members()[0] ?? "");
    world.cloud.recommendRebalance(membersOf(world, helmrGroup)[0] ?? "");
    await world.queues.deliver();
    await beside.minutes(world, 1);
    await given.minutes(1);
    await world.reap();
    await world.down().catch(() => undefined);
  }
  await all();
  const newer = new Map<string, Stored>();
  for (const [key, item] of await everything(world)) {
    const raised = { ...item, schema: { N: "2" } };
    newer.set(key, raised);
    await putStored(world, raised);
  }
  const kinds = [...newer.keys()].map((key) => key.replace(/[# ].*/, ""));
  expect([...new Set(kinds)].sort()).toEqual(
    expect.arrayContaining([
      "event",
      "group",
      "helmr-group",
      "hosts",
      "interruptions",
      "join",
      "kici",
      "lease",
      "live",
    ]),
  );

  world.functions.restart();
  world.faults.reset();
  given.changes.length = 0;
  world.advance(120_000);
  await all();
  const after = await everything(world);
  for (const [key, item] of newer) expect(after.get(key), key).toEqual(item);
  const mutations = world.faults.mutations().filter(({ service }) => service !== "dynamodb");
  expect(mutations.map(({ operation }) => operation)).toEqual([]);
  expect(given.changes).toEqual([]);
  expect(world.alive(agent).length).toBeLessThanOrEqual(1);
  const runs = world.invocations.filter(({ outcome }) => outcome.kind === "failed");
  expect(new Set(runs.map(({ functionId }) => functionId))).toEqual(
    new Set(["ZoomiesReconciler", "KiciReaper", "HelmrReconciler"]),
  );
}, 120_000);
