import { expect, test } from "vitest";
import { joinKey } from "../../lib/zoomies/join-record.ts";
import { observingJoinsApi } from "../../lib/zoomies/observing-api.ts";
import { LifeWorld, verified } from "../zoomies/life-world.ts";

async function waiting(tags: Record<string, string> = {}): Promise<{ world: LifeWorld; instance: string }> {
  const world = new LifeWorld(verified({ tags }));
  world.cloud.setDesired("linux", 1);
  world.clock.advance(60_000);
  world.cloud.settle();
  const [instance] = world.instances();
  expect(instance?.state).toBe("Pending:Wait");
  return { world, instance: instance?.id ?? "" };
}

const mutations = (world: LifeWorld) => world.zoomies.calls.filter((call) => /^(mint|revoke|cordon|drain)/.test(call));
const told = (world: LifeWorld) => world.parts.trail.since("linux", 0, 100);

test("while Drover observes, no token is minted: the instance is told so, and the trail once", async () => {
  const { world, instance } = await waiting();
  Object.assign(world.join, { joins: observingJoinsApi({ ...world.zoomies }) });
  for (let ask = 0; ask < 3; ask += 1) {
    expect(await world.ask(instance)).toMatchObject({ status: 503, answer: { code: "observe_mode" } });
  }
  expect(mutations(world)).toEqual([]);
  const line = { saw: { instance }, decided: "deliver a join token", reasons: ["it waits in its launch hook"] };
  expect(await told(world)).toMatchObject([{ ...line, outcome: "observed" }]);
  // Nothing stands in the way of the first ask that is answered.
  Object.assign(world.join, { joins: world.zoomies });
  expect((await world.ask(instance)).status).toBe(200);
  expect((await told(world)).at(-1)).toMatchObject({ ...line, outcome: "delivered" });
});

test("for a paused group no token is minted either, and its ledger does not call the instance closed", async () => {
  const { world, instance } = await waiting({ "drover:paused": "for a while" });
  expect(await world.ask(instance)).toMatchObject({ status: 503, answer: { code: "group_paused" } });
  await world.minutes(15);
  expect(mutations(world)).toEqual([]);
  expect(await world.parts.records.read(joinKey(instance))).toBeUndefined();
  const joins = (await told(world)).filter(({ decided }) => decided.includes("join token"));
  expect(joins).toMatchObject([{ decided: "deliver no join token", outcome: "refused: group_paused" }]);
});
