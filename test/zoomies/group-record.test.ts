import { beforeEach, describe, expect, test } from "vitest";
import { isHeld } from "../../lib/ledger/lease.ts";
import { recordReading, takeGroup } from "../../lib/zoomies/group-record.ts";
import { DemandWorld } from "./demand-world.ts";
import { minute, noon, reading } from "./made-readings.ts";

let world: DemandWorld;

beforeEach(() => {
  world = new DemandWorld();
});

const arrive = (pool: string, one: ReturnType<typeof reading>, toAct = one.type === "capacity_demand") =>
  recordReading(world.parts, "builders", pool, one, toAct);

describe("a reading that is recorded", () => {
  test("is pending with the group's lease in one write, when the lease is free", async () => {
    const recorded = await arrive("pool_a", reading(8, 3));
    expect(recorded).toMatchObject({ outcome: "recorded", held: { name: "builders", lease: { fence: 1 } } });
    expect(await world.record("builders")).toMatchObject({ pending: true, readings: { pool_a: { capacity: 8 } } });
  });

  test("is left for the holder when the lease is held, and leaves that lease alone", async () => {
    const first = await arrive("pool_a", reading(8, 3));
    const second = await arrive("pool_b", reading(11, 2));
    expect(second).toEqual({ outcome: "recorded", held: undefined });
    const record = await world.record("builders");
    expect(Object.keys(record?.readings ?? {})).toEqual(["pool_a", "pool_b"]);
    if (first.outcome !== "recorded") throw new Error("Not recorded.");
    expect(record?.lease).toEqual(first.held?.lease);
  });

  test("of a scale-down takes no lease and makes nothing pending", async () => {
    expect(await arrive("pool_a", reading(8, -3))).toEqual({ outcome: "recorded", held: undefined });
    expect(await world.record("builders")).toMatchObject({ pending: false, readings: { pool_a: { required: -3 } } });
  });

  test("of a scale-down leaves another pool's demand pending", async () => {
    await arrive("pool_a", reading(8, 3));
    await arrive("pool_b", reading(8, -3));
    expect((await world.record("builders"))?.pending).toBe(true);
  });

  test("twice is a duplicate; an older one is superseded, and neither changes anything", async () => {
    const now = reading(8, 3);
    await arrive("pool_a", now);
    const before = await world.record("builders");
    expect(await arrive("pool_a", now)).toEqual({ outcome: "duplicate" });
    expect(await arrive("pool_a", reading(50, 50, { ago: 1 }))).toEqual({ outcome: "superseded" });
    expect(await world.record("builders")).toEqual(before);
  });

  test("is the newest of its pool whatever the order of arrival", async () => {
    const readings = [3, 1, 4, 2, 0].map((seconds) => reading(seconds, 1, { ago: seconds * 1_000 }));
    for (const one of readings) await arrive("pool_a", one);
    expect((await world.record("builders"))?.readings["pool_a"]?.capacity).toBe(0);
  });

  test("is not lost among 50 pools that arrive at once, and one of them holds the group", async () => {
    const recorded = await Promise.all(
      Array.from({ length: 50 }, (_, index) => arrive(`pool_${index}`, reading(index, 1))),
    );
    const held = recorded.filter((one) => one.outcome === "recorded" && one.held !== undefined);
    expect(held).toHaveLength(1);
    const record = await world.record("builders");
    expect(Object.keys(record?.readings ?? {})).toHaveLength(50);
    expect(record?.pending).toBe(true);
  });

  test("is forgotten after a day, when another one comes", async () => {
    await arrive("pool_a", reading(8, 3));
    world.clock.advance(24 * 60 * minute);
    await arrive("pool_b", reading(8, 3, { at: world.clock.now() }));
    expect(Object.keys((await world.record("builders"))?.readings ?? {})).toEqual(["pool_b"]);
  });

  test.each(["__proto__", "constructor", "toString"])("may be of a pool called %s", async (pool) => {
    const one = reading(8, 3);
    expect((await arrive(pool, one)).outcome).toBe("recorded");
    expect(await arrive(pool, one)).toEqual({ outcome: "duplicate" });
    const readings = (await world.record("builders"))?.readings ?? {};
    expect(Object.hasOwn(readings, pool)).toBe(true);
  });
});

describe("the minute run", () => {
  test("takes a group that nobody holds, and not one that somebody does", async () => {
    await arrive("pool_a", reading(8, 3));
    expect(await takeGroup(world.parts, "builders")).toBeUndefined();
    world.clock.advance(world.parts.settings.leaseMs);
    const held = await takeGroup(world.parts, "builders");
    expect(held?.lease.fence).toBe(2);
    expect(isHeld((await world.record("builders"))?.lease, world.clock.now())).toBe(true);
    expect(await takeGroup(world.parts, "builders")).toBeUndefined();
  });

  test("takes no group that has no record", async () => {
    expect(await takeGroup(world.parts, "builders")).toBeUndefined();
    expect(await world.record("builders")).toBeUndefined();
  });

  test("of two that want a group at once, one gets it", async () => {
    await arrive("pool_a", reading(8, 3), false);
    const taken = await Promise.all([1, 2, 3].map(() => takeGroup(world.parts, "builders")));
    expect(taken.filter((held) => held !== undefined)).toHaveLength(1);
    expect(world.clock.now()).toBe(noon);
  });
});
