import { readFileSync } from "node:fs";
import { type AttributeValue, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, expect, test } from "vitest";
import { agent, launchByHand, scaler, startKici } from "../kici/kici-world.ts";
import { startOfTime, startWorld, type TestWorld } from "../world.ts";

/**
 * Items exactly as layout 1 holds them, kept here for as long as a release may find them: operations in flight under the previous release
 * resume under this one. Whoever raises the layout (lib/ledger/dynamodb-table.ts) reads these too, and adds their own beside them.
 */
type Stored = Record<string, AttributeValue>;
const layouts = ["layout-1"] as const;
const itemsOf = (layout: string): Record<string, Stored> =>
  JSON.parse(readFileSync(new URL(`${layout}.json`, import.meta.url), "utf8")) as Record<string, Stored>;

let world: TestWorld | undefined;
afterEach(async () => world?.close());

async function put(
  at: TestWorld,
  item: Stored | undefined,
  change: (text: string) => string = (text) => text,
): Promise<void> {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint: at.dynamodb, region: "eu-west-1", credentials });
  const Item = JSON.parse(change(JSON.stringify(item))) as Stored;
  await client.send(new PutItemCommand({ TableName: at.table, Item }));
  client.destroy();
}

test.each(layouts)("a demand that was recorded and not applied under %s is applied by the next run", async (layout) => {
  world = await startWorld({ fleets: [{ name: "linux", pools: ["pool_123"], slotsPerHost: 4 }] });
  await put(world, itemsOf(layout)["group"]);
  expect(world.clock.now()).toBe(startOfTime);
  expect((await world.reconcile()).outcome.kind).toBe("answered");
  expect(world.group("linux").desired).toBe(2);
});

test.each(layouts)(
  "an agent that was withdrawn under %s while its instance ran is ended by the reaper",
  async (layout) => {
    const kici = await startKici();
    world = kici;
    const tags = {
      "drover:stack": kici.stack,
      "kici-managed": kici.stack,
      "kici-agent-id": agent,
      "kici-scaler": scaler,
    };
    const id = launchByHand(kici, tags);
    kici.advance(60_000);
    await put(kici, itemsOf(layout)["agent"], (text) => text.replaceAll("i-00000000000000000", id));
    expect((await kici.reap()).outcome.kind).toBe("answered");
    expect(kici.alive(agent)).toEqual([]);
  },
);

test("an item of a layout that this release does not know is never guessed at: the run fails and changes nothing", async () => {
  world = await startWorld({ fleets: [{ name: "linux", pools: ["pool_123"], slotsPerHost: 4 }] });
  await put(world, { ...itemsOf("layout-1")["group"], schema: { N: "99" } });
  expect((await world.reconcile()).outcome.kind).toBe("failed");
  expect(world.group("linux").desired).toBe(0);
});
