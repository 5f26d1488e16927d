import { describe, expect, test } from "vitest";
import { recordReading } from "../../lib/zoomies/group-record.ts";
import { LifeWorld, verified } from "./life-world.ts";
import { reading } from "./made-readings.ts";

type Pool = NonNullable<ReturnType<LifeWorld["zoomies"]["queues"]["get"]>>;

function poolOf(world: LifeWorld, id = "pool_a"): Pool {
  const pool = world.zoomies.queues.get(id);
  if (pool === undefined) throw new Error(`There is no pool ${id}.`);
  return pool;
}

/** A world with so many hosts in service and nothing on them. */
async function withHosts(count: number, more: Parameters<typeof verified>[0] = {}): Promise<LifeWorld> {
  const world = new LifeWorld(verified(more));
  world.cloud.setDesired("linux", count);
  await world.minutes(2);
  expect(world.zoomies.rows.size).toBe(count);
  return world;
}

function endJobs(world: LifeWorld): void {
  for (const id of world.zoomies.live.keys()) world.zoomies.endRunner(id);
}

const drains = async (world: LifeWorld) =>
  Object.values((await world.record())?.instances ?? {}).flatMap(({ drain }) => drain ?? []);

const outcomes = async (world: LifeWorld) =>
  (await world.parts.trail.since("linux", 0, 1_000)).filter(({ decided }) => decided === "drain");

const terminates = (world: LifeWorld) => world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup");

describe("a group that Drover looks after", () => {
  test("grows for a burst, lets the jobs run, and returns to its minimum", async () => {
    const world = new LifeWorld(verified({ minSize: 1 }));
    poolOf(world).queued_jobs = 18;
    await world.minutes(1);
    expect(world.desired()).toBe(5);
    await world.minutes(3);
    expect(world.instances().map(({ state }) => state)).toEqual(Array(5).fill("InService"));
    expect(world.zoomies.live.size).toBe(18);

    endJobs(world);
    await world.minutes(30);
    expect(world.desired()).toBe(1);
    expect([...world.zoomies.rows.values()].map(({ cordoned }) => cordoned)).toEqual([false]);
    expect(world.counts).toMatchObject({ "Drains removed": 4 });
    expect(world.counts["Stalled"]).toBeUndefined();
    expect(world.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("takes the newest host first, one drain at a time", async () => {
    const world = await withHosts(1);
    const [first] = world.instances();
    world.cloud.setDesired("linux", 3);
    await world.minutes(2);
    // The idle clocks of all begin together, when their jobs end.
    for (const host of world.zoomies.rows.keys()) world.zoomies.addRunner(host, "pool_a", "busy");
    await world.minutes(1);
    endJobs(world);
    await world.minutes(14, async () => expect((await drains(world)).length).toBeLessThanOrEqual(1));
    await world.minutes(20);
    expect(world.desired()).toBe(0);
    const removed = (await outcomes(world)).map(({ saw }) => saw["instance"]);
    expect(removed).toHaveLength(3);
    expect(removed.at(-1)).toBe(first?.id);
  });

  test("keeps what a pool's warm runners need, and neither launches nor ends anything (cases.md 71)", async () => {
    const world = await withHosts(2);
    poolOf(world).min_runners = 5;
    for (const host of world.zoomies.rows.keys()) {
      for (const _ of [1, 2, 3]) world.zoomies.addRunner(host, "pool_a", "idle");
    }
    await world.minutes(30);
    expect(world.desired()).toBe(2);
    expect(terminates(world)).toBe(0);
    expect(world.faults.count("auto-scaling:SetDesiredCapacity")).toBe(0);
  });

  test("does not take two looks far apart for one idle time", async () => {
    const world = await withHosts(1);
    world.clock.advance(20 * 60_000);
    world.cloud.settle();
    await world.run();
    expect(await drains(world)).toEqual([]);
    await world.minutes(9);
    expect(await drains(world)).toEqual([]);
    await world.minutes(1);
    expect(await drains(world)).toHaveLength(1);
  });

  test("counts a floor for each pool of its own (cases.md 72)", async () => {
    const world = await withHosts(3, { pools: ["pool_a", "pool_b"] });
    poolOf(world).min_runners = 1;
    poolOf(world, "pool_b").min_runners = 4;
    await world.minutes(30);
    expect(world.desired()).toBe(2);
  });

  test("ends nothing while desired capacity is at MinSize", async () => {
    const world = await withHosts(2, { minSize: 2 });
    await world.minutes(30);
    expect(terminates(world)).toBe(0);
    expect(world.zoomies.calls.filter((call) => call.startsWith("cordon"))).toEqual([]);
  });

  test("ends nothing while it is paused, or without drover:scale-in", async () => {
    // No token is minted for a paused group, so its hosts join once it is resumed.
    for (const [tags, joined] of [
      [{ "drover:paused": "" }, 0],
      [{ "drover:scale-in": "off" }, 2],
    ] as const) {
      const world = new LifeWorld(verified({ tags, hooks: false }));
      world.cloud.setDesired("linux", 2);
      await world.minutes(30);
      expect(world.zoomies.rows.size).toBe(joined);
      expect(world.zoomies.calls.filter((call) => call.startsWith("cordon"))).toEqual([]);
    }
  });

  test.each([
    ["AZRebalance is active (cases.md 42)", { suspended: [] as string[] }, "az_rebalance_active"],
    ["capacity rebalancing is on", { capacityRebalance: true }, "capacity_rebalance"],
    ["instances have a maximum lifetime", { maxInstanceLifetime: 86_400 }, "instance_lifetime"],
    [
      "an instance refresh is at work (cases.md 77)",
      { refreshes: [{ InstanceRefreshId: "r-1", Status: "InProgress" as const }] },
      "refresh_active",
    ],
    ["a scaling policy is enabled", { policies: [{ PolicyName: "track", Enabled: true }] }, "scaling_policy"],
    [
      "a scheduled action sets desired capacity",
      { scheduledActions: [{ ScheduledActionName: "night", DesiredCapacity: 0, Recurrence: "0 20 * * *" }] },
      "scheduled_action",
    ],
  ])("ends nothing while %s, and says so", async (_, group, code) => {
    const world = await withHosts(2, { group });
    await world.minutes(14);
    expect(terminates(world)).toBe(0);
    expect(world.zoomies.calls.filter((call) => call.startsWith("cordon"))).toEqual([]);
    expect(world.said("finding").map((finding) => finding["code"])).toContain(code);
  });
});

describe("a host on its way out", () => {
  /** One of two hosts has just been cordoned. */
  async function draining(more: Parameters<typeof verified>[0] = {}): Promise<{ world: LifeWorld; hostId: string }> {
    const world = await withHosts(2, more);
    for (let minute = 0; minute < 15 && (await drains(world)).length === 0; minute += 1) await world.minutes(1);
    const [drain] = await drains(world);
    expect(drain?.phase).toBe("cordoned");
    return { world, hostId: drain?.hostId ?? "" };
  }

  test("comes back when jobs wait, and is not taken again at once", async () => {
    const { world, hostId } = await draining();
    poolOf(world).queued_jobs = 6;
    await world.minutes(2);
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
    expect(terminates(world)).toBe(0);
    expect((await outcomes(world)).map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    endJobs(world);
    await world.minutes(8);
    expect(await drains(world)).toEqual([]);
  });

  test("comes back for a single job that waits, though another host has room for it", async () => {
    const { world, hostId } = await draining();
    // No pass places it: a job inside its pool's delay, say.
    world.zoomies.pass = () => undefined;
    poolOf(world).queued_jobs = 1;
    await world.minutes(2);
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
    expect(terminates(world)).toBe(0);
  });

  test("comes back for a demand that is only a reading yet", async () => {
    const { world, hostId } = await draining();
    const demand = reading(4, 2, { at: world.clock.now() });
    await recordReading(world.parts, "linux", "pool_a", demand, false);
    await world.minutes(2);
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
    expect(terminates(world)).toBe(0);
  });

  test("is not ended when the demand comes in between the decision and the terminate", async () => {
    const { world } = await draining();
    let sent = false;
    world.zoomies.meanwhile = async (call) => {
      if (call !== "pools" || sent || (await drains(world))[0]?.phase !== "terminating") return;
      sent = true;
      const demand = reading(4, 2, { at: world.clock.now() });
      await recordReading(world.parts, "linux", "pool_a", demand, false);
    };
    await world.minutes(3);
    expect(sent).toBe(true);
    expect(terminates(world)).toBe(0);
    expect([...world.zoomies.rows.values()].map(({ cordoned }) => cordoned)).toEqual([false, false]);
  });

  test("comes back when a job was placed by a pass that had not seen the cordon", async () => {
    const { world, hostId } = await draining();
    const runner = world.zoomies.addRunner(hostId, "pool_a", "busy");
    await world.minutes(3);
    expect(terminates(world)).toBe(0);
    expect(world.zoomies.live.has(runner)).toBe(true);
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
  });

  test("is never confirmed away when its idle runner took a job before the drain", async () => {
    const { world, hostId } = await draining();
    const runner = world.zoomies.addRunner(hostId, "pool_a", "idle");
    world.zoomies.meanwhile = (call) => {
      const taken = world.zoomies.live.get(runner);
      if (call === `drain ${runner}` && taken !== undefined) taken.state = "busy";
    };
    await world.minutes(3);
    expect(world.zoomies.live.has(runner)).toBe(true);
    expect(terminates(world)).toBe(0);
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
  });

  test("is left alone when somebody uncordons it, and for ever when they cordon it themselves", async () => {
    const { world, hostId } = await draining({ minSize: 1 });
    const host = world.zoomies.rows.get(hostId);
    if (host === undefined) throw new Error("no host");
    host.cordoned = false;
    await world.minutes(1);
    expect((await outcomes(world)).map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    host.cordoned = true;
    await world.minutes(60);
    expect(host.cordoned).toBe(true);
    expect(world.instances().some(({ id }) => id === host.name)).toBe(true);
  });

  test("is left alone when somebody cordons it between the look and our cordon", async () => {
    const world = await withHosts(1);
    const [host] = world.zoomies.rows.values();
    world.zoomies.meanwhile = (call) => {
      if (call.startsWith("host ") && host !== undefined) host.cordoned = true;
    };
    await world.minutes(40);
    expect(world.zoomies.calls.filter((call) => call.startsWith("cordon"))).toEqual([]);
    expect(terminates(world)).toBe(0);
  });

  test("is left alone when it could not be looked at before our cordon, and a person cordons it meanwhile", async () => {
    const world = await withHosts(1);
    const [host] = world.zoomies.rows.values();
    let unheard = 0;
    world.zoomies.fault = (call) => {
      if (!call.startsWith("host ") || host === undefined || unheard > 0) return undefined;
      unheard += 1;
      host.cordoned = true;
      return "before";
    };
    await world.minutes(40);
    expect(unheard).toBe(1);
    expect(host?.cordoned).toBe(true);
    expect(world.zoomies.calls.filter((call) => call.startsWith("cordon"))).toEqual([]);
    expect(terminates(world)).toBe(0);
    expect(await drains(world)).toEqual([]);
  });

  test("is not cordoned once more when it is needed again before its cordon has landed", async () => {
    const world = await withHosts(2);
    let cordons = 0;
    world.zoomies.fault = (call) => {
      if (!/^cordon .* true$/.test(call)) return undefined;
      cordons += 1;
      // Warm runners on every slot are wanted from now on.
      poolOf(world).min_runners = 8;
      return "before";
    };
    await world.minutes(20);
    expect(cordons).toBe(1);
    expect([...world.zoomies.rows.values()].map(({ cordoned }) => cordoned)).toEqual([false, false]);
    expect((await outcomes(world)).map(({ outcome }) => outcome)).toEqual(["cancelled"]);
  });

  test.each([
    ["unhealthy", { healthy: false }],
    ["incompatible", { incompatible: true }],
    ["renamed", { name: "somebody" }],
  ])("is given back with the outcome stalled or cancelled when it turns %s", async (_, change) => {
    const { world, hostId } = await draining({ tags: { "drover:drain-minutes": "5" } });
    const instance = world.zoomies.rows.get(hostId)?.name;
    Object.assign(world.zoomies.rows.get(hostId) ?? {}, change);
    await world.minutes(9);
    expect(world.instances()).toContainEqual({ id: instance, state: "InService" });
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
    const [ended] = await outcomes(world);
    expect(["stalled", "cancelled"]).toContain(ended?.outcome);
  });

  test("proves nothing while Zoomies cannot be seen whole, whichever call fails (cases.md 67)", async () => {
    for (const failing of ["hosts", "pools", "runners"]) {
      const { world } = await draining();
      world.zoomies.fault = (call) => (call.trim() === failing ? "before" : undefined);
      for (let minute = 0; minute < 10; minute += 1) {
        await world.minutes(1);
        expect(terminates(world)).toBe(0);
      }
      expect(world.counts["CallFailed unseen"]).toBe(10);
      world.zoomies.fault = () => undefined;
      await world.minutes(25);
      expect(world.desired()).toBe(0);
    }
  });

  test("is seen empty three times, the last time right before its end, with demand that came in meanwhile heeded", async () => {
    const { world, hostId } = await draining();
    // A job is placed after everything but the last look, by a pass that somebody's uncordon allowed.
    let looks = 0;
    world.zoomies.meanwhile = (call) => {
      if (call !== `host ${hostId}`) return;
      if (looks === 0) world.zoomies.addRunner(hostId, "pool_a", "busy");
      looks += 1;
    };
    await world.minutes(5);
    expect(looks).toBeGreaterThan(0);
    expect(terminates(world)).toBe(0);
    expect(world.zoomies.runnersOn(hostId)).toHaveLength(1);
  });

  test("that others end is told as gone by others, and its row goes when EC2 says so", async () => {
    const { world, hostId } = await draining();
    const name = world.zoomies.rows.get(hostId)?.name ?? "";
    world.cloud.terminateByHand(name);
    await world.minutes(4);
    expect(world.zoomies.rows.has(hostId)).toBe(false);
    expect((await outcomes(world)).find(({ saw }) => saw["instance"] === name)?.outcome).toBe("gone-by-others");
  });

  test("is given back when its instance is detached, which is nobody's to end", async () => {
    const { world, hostId } = await draining();
    world.cloud.setMemberState(world.zoomies.rows.get(hostId)?.name ?? "", "Detached");
    await world.minutes(3);
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
  });

  test("is given back when the group's tag is turned off", async () => {
    const { world, hostId } = await draining();
    const spec = { "drover:stack": "prod", "drover:slots-per-host": "4", "drover:zoomies-pool/pool_a": "" };
    world.cloud.updateGroup("linux", { tags: spec });
    await world.minutes(2);
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(false);
    expect(terminates(world)).toBe(0);
  });
});

describe("pools that share hosts", () => {
  test("lose no busy host when one of them is idle (zoomies-notes 3, trap 1)", async () => {
    const world = await withHosts(3, { pools: ["pool_a", "pool_b"] });
    const [busy] = world.zoomies.rows.keys();
    for (const _ of [1, 2, 3, 4]) world.zoomies.addRunner(busy ?? "", "pool_b", "busy");
    await world.minutes(40);
    expect(world.desired()).toBe(1);
    expect([...world.zoomies.rows.keys()]).toEqual([busy]);
    expect(world.zoomies.live.size).toBe(4);
  });
});

describe("rows of hosts whose instance is gone", () => {
  test("are deleted without force once EC2 says so, whoever ended the instance", async () => {
    const world = await withHosts(2, { minSize: 2 });
    const [first] = world.instances();
    world.cloud.interruptSpot(first?.id ?? "", 1);
    await world.minutes(6);
    expect([...world.zoomies.rows.values()].some(({ name }) => name === first?.id)).toBe(false);
    expect(world.instances()).toHaveLength(2);
  });

  test("go later while Zoomies still records runners on them", async () => {
    const world = await withHosts(1, { minSize: 1 });
    const [hostId] = world.zoomies.rows.keys();
    const [first] = world.instances();
    world.cloud.terminateByHand(first?.id ?? "");
    world.hush = () => undefined;
    const runner = world.zoomies.addRunner(hostId ?? "", "pool_a", "busy");
    await world.minutes(4);
    expect(world.zoomies.rows.has(hostId ?? "")).toBe(true);
    world.zoomies.endRunner(runner);
    await world.minutes(1);
    expect(world.zoomies.rows.has(hostId ?? "")).toBe(false);
  });

  test("are found again when nobody looked while the instance went", async () => {
    const world = await withHosts(1);
    const [first] = world.instances();
    // All that is left of it is the join record, as if the group's memory were from before it came.
    world.cloud.setDesired("linux", 0);
    world.cloud.terminateByHand(first?.id ?? "");
    world.clock.advance(30 * 60_000);
    world.cloud.settle();
    world.hush();
    const stored = await world.parts.records.read({ pk: "hosts#linux", sk: "record" });
    if (stored !== undefined) {
      const empty = { instances: {}, lookedAt: 0, abandons: { count: 0, lastAt: 0 } };
      await world.parts.records.replace({ pk: "hosts#linux", sk: "record" }, stored, empty);
    }
    await world.run();
    expect(world.zoomies.rows.size).toBe(0);
  });

  test("of a detached instance stay", async () => {
    const world = await withHosts(2, { minSize: 1 });
    const [first] = world.instances();
    world.cloud.setMemberState(first?.id ?? "", "Detached");
    await world.minutes(10);
    expect(world.zoomies.hostNamed(first?.id ?? "")).toMatchObject({ cordoned: false });
  });
});
