import { expect, test } from "vitest";
import { LifeWorld, verified } from "./life-world.ts";

test("a burst makes hosts, the hosts join, the jobs run, and the group returns to its minimum", async () => {
  const world = new LifeWorld(verified({ minSize: 1 }));
  const pool = world.zoomies.queues.get("pool_a");
  if (pool === undefined) throw new Error("no pool");
  pool.queued_jobs = 18;
  await world.minutes(1);
  expect(world.desired()).toBe(5);
  await world.minutes(3);
  expect(world.instances().map(({ state }) => state)).toEqual(Array(5).fill("InService"));
  expect(pool.queued_jobs).toBe(0);
  expect(world.zoomies.live.size).toBe(18);

  for (const id of world.zoomies.live.keys()) world.zoomies.endRunner(id);
  await world.minutes(30);
  expect(world.desired()).toBe(1);
  expect(world.zoomies.rows.size).toBe(1);
  expect([...world.zoomies.rows.values()].every(({ cordoned }) => !cordoned)).toBe(true);
  expect(world.counts).toMatchObject({ HostsRemoved: 4 });
  expect(world.counts.DrainsStalled).toBeUndefined();
  expect(world.lines.filter(({ level }) => level === "error")).toEqual([]);
});
