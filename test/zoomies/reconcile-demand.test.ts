import { beforeEach, describe, expect, test } from "vitest";
import { recordReading, takeGroup } from "../../lib/zoomies/group-record.ts";
import { reconcileDemand } from "../../lib/zoomies/reconcile-demand.ts";
import { DemandWorld } from "./demand-world.ts";
import { makeGroup } from "./made-groups.ts";
import { minute, reading } from "./made-readings.ts";

let world: DemandWorld;

beforeEach(() => {
  world = new DemandWorld();
});

/** A group of that name with a demand for 3 hosts recorded and not acted on. */
async function pending(name: string, tags: Record<string, string> = {}): Promise<void> {
  world.groups.add(makeGroup({ name, tags }));
  await recordReading(world.parts, name, "pool_a", reading(8, 3), false);
}

const run = (forMs = minute) => reconcileDemand(world.parts, world.clock.now() + forMs);

describe("the minute run", () => {
  test("settles every pending group, and looks at no other one a second time", async () => {
    for (const name of ["a", "b", "c"]) await pending(name);
    world.groups.add(makeGroup({ name: "quiet" }));
    expect(await run()).toEqual({ groups: 4, settled: 3, held: 0, failed: 0, left: 0 });
    expect(world.groups.raises.map(({ group }) => group).sort()).toEqual(["a", "b", "c"]);
    expect(await run()).toEqual({ groups: 4, settled: 0, held: 0, failed: 0, left: 0 });
  });

  test("goes on with a raise of several steps, one a run", async () => {
    await pending("a", { "drover:max-launch-step": "1", "drover:slots-per-host": "2" });
    for (const desired of [3, 4, 5, 6, 6]) {
      await run();
      expect(world.groups.desired("a")).toBe(desired);
      world.clock.advance(minute);
    }
    expect((await world.record("a"))?.pending).toBe(false);
  });

  test("does not let one sick group shield the others (cases.md 20)", async () => {
    for (const name of ["a", "b", "c"]) await pending(name);
    world.groups.atLook.push(() => {
      throw new Error("socket hang up");
    });
    expect(await run()).toEqual({ groups: 3, settled: 2, held: 0, failed: 1, left: 0 });
    expect(world.counts.filter(({ name }) => name === "CallFailed")).toHaveLength(1);
    expect(await run()).toMatchObject({ settled: 1, failed: 0 });
    expect(world.groups.raises).toHaveLength(3);
  });

  test("leaves a group that another writer holds", async () => {
    await pending("a");
    await takeGroup(world.parts, "a");
    expect(await run()).toMatchObject({ settled: 0, held: 1 });
    expect(world.groups.raises).toEqual([]);
    world.clock.advance(world.parts.settings.leaseMs);
    expect(await run()).toMatchObject({ settled: 1, held: 0 });
  });

  test("starts no group when its time is over", async () => {
    for (const name of ["a", "b", "c"]) await pending(name);
    expect(await run(0)).toEqual({ groups: 3, settled: 0, held: 0, failed: 0, left: 3 });
    expect(world.groups.raises).toEqual([]);
  });

  test("comes to every group within some runs, however many sick ones use up its time", async () => {
    const names = Array.from({ length: 24 }, (_, index) => `group-${String(index).padStart(2, "0")}`);
    for (const name of names) await pending(name);
    world.groups.everyLook = (name) => {
      if (name >= "group-16") return;
      world.clock.advance(5);
      throw new Error("socket hang up");
    };
    for (let minutes = 0; minutes < names.length; minutes += 1) {
      await run(1);
      world.clock.advance(minute - 10 * names.length);
    }
    expect(new Set(world.groups.raises.map(({ group }) => group)).size).toBe(8);
  });

  test("tells what is wrong with a group's tags, at every run until it is mended", async () => {
    await pending("a", { "drover:slots-per-host": "four", "drover:zoomies-backend": "lxc" });
    await run();
    const told = world.lines.filter(({ message }) => message === "finding");
    expect(told.map(({ fields }) => fields["tag"]).sort()).toEqual(["drover:slots-per-host", "drover:zoomies-backend"]);
    for (const { fields } of told) expect(fields).toMatchObject({ resource: "a", code: "bad_tag" });
    expect(world.counts.filter(({ name }) => name === "ConfigError")).toHaveLength(2);
    expect((await world.record("a"))?.pending).toBe(true);
    world.groups.add(makeGroup({ name: "a" }));
    await run();
    expect(world.groups.desired("a")).toBe(3);
  });

  test("tells once that a demand grew too old before it was met (cases.md 19)", async () => {
    await pending("a");
    world.groups.add(makeGroup({ name: "a", suspended: ["Launch"] }));
    await run();
    world.clock.advance(world.parts.settings.freshMs);
    await run();
    await run();
    expect(world.counts.filter(({ name }) => name === "DemandLost")).toEqual([{ name: "DemandLost", value: 1 }]);
    expect((await world.record("a"))?.pending).toBe(false);
  });

  test("lets groups be that serve no pool", async () => {
    world.groups.add({ ...makeGroup({ name: "helmr" }), tags: { "drover:stack": "prod", "drover:helmr-group": "w" } });
    expect(await run()).toEqual({ groups: 0, settled: 0, held: 0, failed: 0, left: 0 });
    expect(world.counts).toEqual([]);
  });
});
