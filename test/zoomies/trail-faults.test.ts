import { expect, test } from "vitest";
import { groupKey } from "../../lib/ledger/readings.ts";
import type { Item } from "../../lib/ledger/table.ts";
import { LifeWorld, verified } from "./life-world.ts";

/** Whatever `isLost` names is never written. */
function losing(world: LifeWorld, isLost: (item: Item) => boolean): void {
  const { put } = world.table;
  Object.assign(world.table, {
    put: async (...[item, condition]: Parameters<typeof put>) => {
      if (isLost(item)) throw new Error("The ledger could not be reached.");
      return put(item, condition);
    },
  });
}

const isTrail = ({ pk }: Item): boolean => pk.startsWith("trail");

async function withHosts(count: number): Promise<LifeWorld> {
  const world = new LifeWorld(verified({ hooks: false, minSize: 1 }));
  world.cloud.setDesired("linux", count);
  await world.minutes(2);
  expect(world.zoomies.rows.size).toBe(count);
  return world;
}

test("hosts that are not needed leave though the trail cannot be written, and that is counted", async () => {
  const world = await withHosts(3);
  losing(world, isTrail);
  await world.minutes(40);
  expect(world.desired()).toBe(1);
  expect(world.counts["Drains removed"]).toBe(2);
  expect(world.counts["CallFailed failed"]).toBeGreaterThan(0);
  expect(world.said("trail not written")[0]).toMatchObject({ fleet: "linux" });
});

test("a cordon that a person was faster with stays theirs though the trail cannot be written", async () => {
  const world = await withHosts(2);
  losing(world, isTrail);
  let theirs: string | undefined;
  world.zoomies.meanwhile = (call) => {
    const host = call.startsWith("host ") ? world.zoomies.rows.get(call.slice(5)) : undefined;
    if (host === undefined || theirs !== undefined) return;
    theirs = host.name;
    host.cordoned = true;
  };
  await world.minutes(40);
  expect(theirs).toBeDefined();
  expect(world.instances().map(({ id }) => id)).toContain(theirs);
  expect(world.zoomies.hostNamed(theirs ?? "")?.cordoned).toBe(true);
});

test("a time to in service that cannot be noted keeps no group from its run", async () => {
  const world = await withHosts(1);
  const stored = await world.parts.records.read<object>(groupKey("linux"));
  if (stored === undefined) throw new Error("There is no record.");
  const at = world.clock.now();
  const lastRaise = { to: 1, at, demandedAt: at - 60_000 };
  await world.parts.records.replace(groupKey("linux"), stored, { ...stored.value, lastRaise });
  let isFirst = true;
  losing(world, ({ pk }) => {
    const isLost = isFirst && pk === groupKey("linux").pk;
    isFirst &&= !isLost;
    return isLost;
  });
  world.clock.advance(60_000);
  expect(await world.run()).toMatchObject({ settled: 1, failed: 0 });
  expect(isFirst).toBe(false);
  expect(world.counts["TimeToInService"]).toBeUndefined();
  await world.run();
  expect(world.counts["TimeToInService"]).toBe(120);
});
