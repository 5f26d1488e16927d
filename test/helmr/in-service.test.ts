import { expect, test } from "vitest";
import { arrivals } from "../../lib/helmr/in-service.ts";
import { FleetWorld } from "./fleet-world.ts";

const times = (world: FleetWorld) =>
  world.counts.filter(({ name }) => name === "TimeToInService").map(({ value }) => value);

/** When the world's raises were sent, in milliseconds since the epoch. */
const raisesAt = (world: FleetWorld) =>
  world.aws.calls.filter(({ operation }) => operation === "SetDesiredCapacity").map(({ at }) => at);

test("a raise counts once, from when it was sent to the cycle that sees all its hosts active", async () => {
  const world = await new FleetWorld().seeded();
  world.counts.length = 0;
  world.aws.reset();
  world.submit(20, 3_600);
  await world.until(() => times(world).length > 0, { within: 300 });
  const sent = raisesAt(world);
  expect(sent).toHaveLength(1);
  expect(world.hostsIn("active")).toHaveLength(world.asg().desired);
  expect(times(world)).toEqual([Math.round((world.clock.now() - (sent[0] ?? 0)) / 1000)]);
  await world.pass(120, 15);
  expect(times(world)).toHaveLength(1);
});

test("a raise whose reply was lost counts as any other once its hosts are there", async () => {
  const world = await new FleetWorld().seeded();
  world.counts.length = 0;
  world.aws.reset();
  world.awsFault({ on: "auto-scaling:SetDesiredCapacity", kind: "reply-lost", at: { nth: 1 } });
  world.submit(20, 3_600);
  await world.until(() => times(world).length > 0, { within: 600 });
  await world.pass(120, 15);
  expect(times(world)).toHaveLength(1);
});

test("a refused raise counts never, nor does a group without one", () => {
  const pool = { group: { name: "asg" }, count: { active: 5 } } as Parameters<typeof arrivals>[0][number];
  const raise = { to: 3, at: 1_000 } as const;
  expect(arrivals([pool], {}, 61_000)).toEqual([]);
  expect(arrivals([pool], { asg: {} }, 61_000)).toEqual([]);
  expect(arrivals([pool], { asg: { lastRaise: { ...raise, outcome: "refused" } } }, 61_000)).toEqual([]);
  expect(arrivals([pool], { asg: { lastRaise: { ...raise, outcome: "accepted" } } }, 61_000)).toMatchObject([
    { group: "asg", seconds: 60 },
  ]);
});
