import { beforeEach, describe, expect, test } from "vitest";
import { isHeld } from "../../lib/ledger/lease.ts";
import { type HeldGroup, recordReading, takeGroup } from "../../lib/zoomies/group-record.ts";
import { settleGroup } from "../../lib/zoomies/settle-group.ts";
import { DemandWorld } from "./demand-world.ts";
import { makeGroup } from "./made-groups.ts";
import { minute, reading } from "./made-readings.ts";

let world: DemandWorld;

beforeEach(() => {
  world = new DemandWorld();
  world.groups.add(makeGroup({ desired: 2 }));
});

const arrive = (pool: string, capacity: number, required: number, ago = 0) =>
  recordReading(world.parts, "builders", pool, reading(capacity, required, { ago }), true);

/** Demand of pool_a for 3 hosts, recorded, with the lease. */
async function hold(): Promise<HeldGroup> {
  const recorded = await arrive("pool_a", 8, 3, minute);
  if (recorded.outcome !== "recorded" || recorded.held === undefined) throw new Error("The group is not held.");
  return recorded.held;
}

const settle = (held: HeldGroup) => settleGroup(world.parts, held, () => world.groups.named("builders"));

async function isFree(): Promise<boolean> {
  return !isHeld((await world.record("builders"))?.lease, world.clock.now());
}

test("a group is raised to what was recorded, and let go", async () => {
  expect(await settle(await hold())).toBe("applied");
  expect(world.groups.raises).toEqual([{ group: "builders", to: 3 }]);
  expect(await world.record("builders")).toMatchObject({ pending: false, lastRaise: { to: 3 } });
  expect(await isFree()).toBe(true);
});

describe("a reading that comes in while the holder works", () => {
  test("is settled by the same holder before it lets go", async () => {
    const held = await hold();
    world.groups.atLook.push(() => arrive("pool_b", 20, 20));
    expect(await settle(held)).toBe("applied");
    expect(world.groups.desired("builders")).toBe(10);
    expect((await world.record("builders"))?.pending).toBe(false);
    expect(await isFree()).toBe(true);
  });

  test("stays pending when the second look fails, because its sender was told that it is recorded", async () => {
    const held = await hold();
    world.groups.atLook.push(
      () => arrive("pool_b", 20, 20),
      () => {
        throw Object.assign(new Error("Rate exceeded"), { name: "Throttling" });
      },
    );
    await expect(settle(held)).rejects.toThrow("Rate exceeded");
    expect((await world.record("builders"))?.pending).toBe(true);
    expect(await isFree()).toBe(true);
  });

  test("stays pending when the group is gone at the second look", async () => {
    const held = await hold();
    world.groups.atLook.push(
      () => arrive("pool_b", 20, 20),
      () => world.groups.all.delete("builders"),
    );
    expect(await settle(held)).toBe("moved");
    expect((await world.record("builders"))?.pending).toBe(true);
  });

  test("stays pending when the second raise gets no answer", async () => {
    const held = await hold();
    world.groups.atLook.push(() => arrive("pool_b", 20, 20));
    world.groups.answers.push({ outcome: "accepted" }, { outcome: "unknown", code: "TimeoutError" });
    expect(await settle(held)).toBe("failed");
    expect((await world.record("builders"))?.pending).toBe(true);
  });

  test("stays pending when there is always another one: the holder ends, the minute run goes on", async () => {
    const held = await hold();
    for (let index = 1; index <= 9; index += 1) {
      world.groups.atLook.push(() => arrive("pool_b", 8, index, minute / 2 - index));
    }
    await settle(held);
    expect((await world.record("builders"))?.pending).toBe(true);
    expect(await isFree()).toBe(true);
  });
});

describe("what goes wrong leaves the demand for the next run:", () => {
  test("a look that fails", async () => {
    const held = await hold();
    world.groups.atLook.push(() => {
      throw new Error("socket hang up");
    });
    await expect(settle(held)).rejects.toThrow("socket hang up");
    expect((await world.record("builders"))?.pending).toBe(true);
    expect(await isFree()).toBe(true);
    expect(world.groups.raises).toEqual([]);
  });

  test.each(["throttled", "changed", "denied"] as const)("a raise that is refused as %s", async (kind) => {
    const held = await hold();
    world.groups.answers.push({ outcome: "refused", code: "SomeCode", kind });
    expect(await settle(held)).toBe("failed");
    expect(await world.record("builders")).toMatchObject({ pending: true });
    expect((await world.record("builders"))?.lastRaise).toBeUndefined();
    expect(await isFree()).toBe(true);
  });

  test("a group that is busy with another activity (cases.md 58)", async () => {
    const held = await hold();
    world.groups.answers.push({ outcome: "refused", code: "ScalingActivityInProgressFault", kind: "busy" });
    expect(await settle(held)).toBe("recorded");
    expect((await world.record("builders"))?.pending).toBe(true);
    expect(await isFree()).toBe(true);
  });

  test("a raise without an answer keeps the lease, so that nobody raises until it has landed or is lost", async () => {
    const held = await hold();
    world.groups.answers.push({ outcome: "unknown", code: "TimeoutError" });
    expect(await settle(held)).toBe("failed");
    expect((await world.record("builders"))?.pending).toBe(true);
    expect(await isFree()).toBe(false);
  });

  test("a lease that is too short for a raise to be answered under it: nothing is sent", async () => {
    const held = await hold();
    world.groups.atLook.push(() => world.clock.advance(15_000));
    expect(await settle(held)).toBe("recorded");
    expect(world.groups.raises).toEqual([]);
    expect((await world.record("builders"))?.pending).toBe(true);
  });

  test("a lease that ran out and was taken over: the record is the new holder's to write", async () => {
    const held = await hold();
    world.groups.atLook.push(async () => {
      world.clock.advance(20_000);
      await arrive("pool_b", 20, 20);
    });
    await settle(held);
    expect(world.groups.raises).toEqual([]);
    expect(await world.record("builders")).toMatchObject({ pending: true, lease: { fence: 2 } });
    expect(await isFree()).toBe(false);
  });

  test("a group that the look finds to be another one", async () => {
    const held = await hold();
    expect(await settleGroup(world.parts, held, async () => makeGroup({ name: "other" }))).toBe("moved");
    expect(world.groups.raises).toEqual([]);
    expect((await world.record("builders"))?.pending).toBe(true);
    expect(await isFree()).toBe(true);
  });
});

describe("demand above MaxSize is recorded and not applied while something else holds the group back too:", () => {
  test.each<[string, Parameters<typeof makeGroup>[0]]>([
    ["it is paused", { tags: { "drover:paused": "" } }],
    ["Launch is suspended", { suspended: ["Launch"] }],
    ["it grows in steps", { max: 4, tags: { "drover:max-launch-step": "1" } }],
  ])("%s", async (_, more) => {
    world.groups.add(makeGroup({ desired: 2, max: 3, ...more, tags: { "drover:slots-per-host": "1", ...more?.tags } }));
    expect(await settle(await hold())).toBe("recorded");
    expect((await world.record("builders"))?.pending).toBe(true);
    expect(world.counts.filter(({ name }) => name === "CapacityCapped")).toEqual([]);
  });
});

describe("the trail and the metrics", () => {
  test("tell a raise once, and the same decision not again", async () => {
    await settle(await hold());
    for (let run = 0; run < 3; run += 1) {
      const again = await recordReading(world.parts, "builders", "pool_a", reading(8, 3, { ago: 1_000 - run }), true);
      if (again.outcome === "recorded" && again.held !== undefined) await settle(again.held);
    }
    const trail = await world.parts.trail.since("builders", 0, 100);
    expect(trail.map(({ decided }) => decided).sort()).toEqual([
      "keep desired capacity 3",
      "raise desired capacity 2 to 3",
    ]);
    expect(world.counts).toEqual([{ name: "Launches", value: 1 }]);
  });

  test("tell once of a raise that is refused again and again, and of its success after that", async () => {
    let held: HeldGroup | undefined = await hold();
    for (let run = 0; run < 4; run += 1) {
      if (run < 3) world.groups.answers.push({ outcome: "refused", code: "AccessDenied", kind: "denied" });
      if (held !== undefined) await settle(held);
      world.clock.advance(minute);
      held = await takeGroup(world.parts, "builders");
    }
    const trail = await world.parts.trail.since("builders", 0, 100);
    expect(trail.map(({ outcome }) => outcome)).toEqual(["refused: AccessDenied", "accepted"]);
    expect(world.counts.filter(({ name }) => name === "ConfigError")).toHaveLength(3);
  });

  test("name a capped demand and a denied call for what they are", async () => {
    world.groups.add(makeGroup({ desired: 2, max: 2 }));
    expect(await settle(await hold())).toBe("applied");
    expect(world.counts).toEqual([{ name: "CapacityCapped", value: 1 }]);
    expect((await world.record("builders"))?.pending).toBe(true);
  });
});
