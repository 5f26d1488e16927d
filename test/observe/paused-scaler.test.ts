import { afterEach, beforeEach, expect, test } from "vitest";
import { type KiciWorld, launchByHand, startKici } from "../kici/kici-world.ts";
import { trailOf } from "./first-decisions.ts";

const paused = "paused";
const soon = 60_000;
let world: KiciWorld;

beforeEach(async () => {
  world = await startKici([{ name: paused, tags: { "drover:paused": "for a while" } }, { name: "busy" }]);
});
afterEach(() => world.close());

function agent(scaler: string, id: string, lifeMs: number): string {
  return launchByHand(world, {
    "drover:stack": world.stack,
    "drover:expires-at": new Date(world.clock.now() + lifeMs).toISOString(),
    "kici-managed": world.stack,
    "kici-agent-id": id,
    "kici-scaler": scaler,
  });
}

test("a paused scaler's agents are neither launched nor ended, whoever asks, and the others' are", async () => {
  const withdrawn = agent(paused, "agent-1", soon * 60);
  agent(paused, "agent-2", soon);
  agent("busy", "agent-3", soon);
  const down = world.scaleDown({ scalerName: paused, agentId: "agent-1" });
  expect(await world.up(world.scaleUp({ scalerName: paused, agentId: "agent-0" }))).toMatchObject({ status: 422 });
  for (let tries = 0; tries < 2; tries += 1) {
    expect(await world.down(down)).toMatchObject({ status: 503, answer: { code: "observe_mode" } });
  }
  world.advance(2 * soon);
  for (let run = 0; run < 2; run += 1) expect((await world.reap()).outcome).toMatchObject({ kind: "answered" });
  expect(world.alive("agent-1")).toHaveLength(1);
  expect(world.alive("agent-2")).toHaveLength(1);
  expect(world.alive("agent-3")).toHaveLength(0);
  const told = (await trailOf(world, `kici#${paused}`)).map(({ decided, outcome }) => `${decided}: ${outcome}`);
  expect(told.sort()).toEqual([
    "launch nothing: refused: scaler_paused",
    "reap: observed",
    "reap: observed",
    `tear down: ${withdrawn} observed`,
  ]);
});

test("what was withdrawn while its scaler was paused is ended by the reaper once it is resumed", async () => {
  agent(paused, "agent-1", soon * 60);
  await world.down(world.scaleDown({ scalerName: paused, agentId: "agent-1" }));
  const [template] = [...world.cloud.world.launchTemplates.values()].filter(({ tags }) => tags.has("drover:paused"));
  template?.tags.delete("drover:paused");
  await world.reap();
  expect(world.alive("agent-1")).toHaveLength(0);
});
