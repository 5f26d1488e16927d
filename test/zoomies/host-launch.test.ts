import { describe, expect, test } from "vitest";
import { launchHook } from "../../infra/local/launch-hook.ts";
import { LifeWorld, verified } from "./life-world.ts";

const lifecycle = (world: LifeWorld, operation: string) => world.faults.count(`auto-scaling:${operation}`);

function launched(more: Parameters<typeof verified>[0] = {}): LifeWorld {
  const world = new LifeWorld(verified(more));
  world.cloud.setDesired("linux", 1);
  return world;
}

describe("an instance in the launch hook", () => {
  test("comes into service once the host of its name is healthy", async () => {
    const world = launched();
    await world.minutes(1);
    expect(world.zoomies.rows.size).toBe(1);
    await world.minutes(1);
    expect(world.instances().map(({ state }) => state)).toEqual(["InService"]);
    expect(lifecycle(world, "CompleteLifecycleAction")).toBe(1);
  });

  test("waits while its host is not healthy, and while Zoomies cannot be asked is kept waiting", async () => {
    const world = launched({ group: { hooks: [{ ...launchHook, heartbeatTimeout: 240 }] } });
    world.zoomies.fault = (call) => (call === "hosts" ? "before" : undefined);
    await world.minutes(20);
    expect(world.instances().map(({ state }) => state)).toEqual(["Pending:Wait"]);
    expect(lifecycle(world, "RecordLifecycleActionHeartbeat")).toBeGreaterThan(3);
    expect(lifecycle(world, "CompleteLifecycleAction")).toBe(0);
    world.zoomies.fault = () => undefined;
    await world.minutes(2);
    expect(world.instances().map(({ state }) => state)).toEqual(["InService"]);
  });

  test("is given up at the join deadline, after its token is revoked", async () => {
    const world = launched();
    world.boot = async () => undefined;
    await world.minutes(1);
    const [instance] = world.instances();
    const { answer } = await world.ask(instance?.id ?? "");
    await world.minutes(13);
    expect(world.counts["Launches abandoned"]).toBe(1);
    expect(world.zoomies.tokens.size).toBe(0);
    expect(world.zoomies.join(answer.token, answer.name)).toBeUndefined();
    expect((await world.ask(instance?.id ?? "")).status).toBeGreaterThanOrEqual(404);
  });

  test("that joined is never given up, however sick its host is", async () => {
    const world = launched();
    world.boot = async () => undefined;
    await world.minutes(1);
    const [instance] = world.instances();
    const { answer } = await world.ask(instance?.id ?? "");
    const hostId = world.zoomies.join(answer.token, answer.name) ?? "";
    Object.assign(world.zoomies.rows.get(hostId) ?? {}, { healthy: false });
    await world.minutes(15);
    expect(world.counts["Launches abandoned"]).toBeUndefined();
    expect(world.instances().map(({ id }) => id)).toEqual([instance?.id]);
  });

  test("whose token was used is not given up, though no host of its name is there", async () => {
    const world = launched();
    world.boot = async () => undefined;
    await world.minutes(1);
    const [instance] = world.instances();
    const { answer } = await world.ask(instance?.id ?? "");
    const hostId = world.zoomies.join(answer.token, answer.name) ?? "";
    Object.assign(world.zoomies.rows.get(hostId) ?? {}, { name: "another" });
    await world.minutes(15);
    expect(world.counts["Launches abandoned"]).toBeUndefined();
  });

  test("is not given up while the answer about its token is missing", async () => {
    const world = launched();
    world.boot = async () => undefined;
    await world.minutes(1);
    await world.ask(world.instances()[0]?.id ?? "");
    world.zoomies.fault = (call) => (call.startsWith("joinToken") ? "before" : undefined);
    await world.minutes(18);
    expect(world.counts["Launches abandoned"]).toBeUndefined();
    world.zoomies.fault = () => undefined;
    await world.minutes(2);
    expect(world.counts["Launches abandoned"]).toBe(1);
  });

  test("asks at the same moment as it is given up: it gets no token that is alive", async () => {
    const world = launched();
    world.boot = async () => undefined;
    await world.minutes(9);
    const [instance] = world.instances();
    let isMinting = false;
    world.zoomies.meanwhile = async (call) => {
      if (call !== "mint" || isMinting) return;
      isMinting = true;
      await world.minutes(4);
    };
    const { status } = await world.ask(instance?.id ?? "");
    expect(isMinting).toBe(true);
    // Its token was minted after it had been given up, is told to nobody, and does not live on.
    expect(status).toBe(425);
    expect(world.counts["Launches abandoned"]).toBe(1);
    expect(world.zoomies.alive()).toEqual([]);
  });
});

describe("a group whose instances never join", () => {
  test("is not raised after three in a row, and is again once one joins", async () => {
    const world = launched();
    world.boot = async () => undefined;
    await world.minutes(36);
    expect(world.counts["Launches abandoned"]).toBeGreaterThanOrEqual(3);
    const before = world.faults.count("auto-scaling:SetDesiredCapacity");
    const pool = world.zoomies.queues.get("pool_a");
    if (pool !== undefined) pool.queued_jobs = 20;
    await world.minutes(5);
    expect(world.faults.count("auto-scaling:SetDesiredCapacity")).toBe(before);
    expect(world.said("finding").map(({ code }) => code)).toContain("raise_stopped");
    expect(world.counts["Stalled"]).toBeGreaterThan(4);

    world.boot = LifeWorld.prototype.boot;
    await world.minutes(15);
    expect(world.desired()).toBe(5);
  });
});

describe("an instance that came into service without a host", () => {
  test("because Drover was away for longer than the hook, is ended once it is proven that it never joined", async () => {
    const world = launched();
    world.boot = async () => undefined;
    await world.minutes(1);
    const [instance] = world.instances();
    await world.ask(instance?.id ?? "");
    for (let minute = 0; minute < 25; minute += 1) {
      world.clock.advance(60_000);
      world.cloud.settle();
    }
    expect(world.instances()).toEqual([{ id: instance?.id, state: "InService" }]);
    await world.minutes(3);
    expect(world.desired()).toBe(0);
    expect(world.zoomies.alive()).toEqual([]);
  });

  test("and never asked, may be a host under another name, and is a finding", async () => {
    const world = launched({ hooks: false });
    world.boot = async () => undefined;
    await world.minutes(30);
    expect(world.desired()).toBe(1);
    expect(world.said("finding").map(({ code }) => code)).toContain("never_joined");
  });
});

describe("hosts that occupy desired capacity and do not count", () => {
  async function twoBusy(): Promise<LifeWorld> {
    const world = new LifeWorld(verified());
    world.cloud.setDesired("linux", 2);
    await world.minutes(2);
    const pool = world.zoomies.queues.get("pool_a");
    if (pool !== undefined) pool.queued_jobs = 8;
    await world.minutes(1);
    expect(world.zoomies.live.size).toBe(8);
    expect(world.desired()).toBe(2);
    return world;
  }

  test.each([
    ["cordoned by somebody", { cordoned: true }],
    ["unhealthy", { healthy: false }],
    ["incompatible", { incompatible: true }],
  ])("are bought on top when they are %s", async (_, change) => {
    const world = await twoBusy();
    const [first] = world.zoomies.rows.values();
    Object.assign(first ?? {}, change);
    await world.minutes(1);
    expect(world.desired()).toBe(3);
    await world.minutes(10);
    expect(world.desired()).toBe(3);
  });

  test("while an instance boots, nothing is bought twice", async () => {
    const world = await twoBusy();
    const pool = world.zoomies.queues.get("pool_a");
    world.boot = async () => undefined;
    if (pool !== undefined) pool.queued_jobs = 4;
    await world.minutes(8);
    expect(world.desired()).toBe(3);
  });

  test("with fewer slots than tagged count for what they have, and the tag is a finding", async () => {
    const world = await twoBusy();
    for (const host of world.zoomies.rows.values()) host.capacity = 2;
    await world.minutes(4);
    // 8 slots are needed, the two have 2 each: one of 4 more.
    expect(world.desired()).toBe(3);
    expect(world.said("finding").map(({ code }) => code)).toContain("slots_disagree");
  });

  test("stay within MaxSize", async () => {
    const world = new LifeWorld(verified({ maxSize: 2 }));
    world.cloud.setDesired("linux", 2);
    await world.minutes(2);
    for (const host of world.zoomies.rows.values()) Object.assign(host, { cordoned: true });
    const pool = world.zoomies.queues.get("pool_a");
    if (pool !== undefined) pool.queued_jobs = 8;
    await world.minutes(3);
    expect(world.desired()).toBe(2);
    expect(world.counts["CapacityCapped"]).toBeGreaterThan(0);
  });
});

describe("an instance that others end while a termination hook holds it", () => {
  const hooks = [launchHook, { name: "drover-leave", transition: "terminating", heartbeatTimeout: 300 } as const];

  test("waits while jobs run on its host, and goes when it is cordoned and empty (cases.md 76)", async () => {
    const world = launched({ group: { hooks } });
    await world.minutes(2);
    const [instance] = world.instances();
    const [hostId = ""] = world.zoomies.rows.keys();
    const runner = world.zoomies.addRunner(hostId, "pool_a", "busy");
    world.cloud.failHealthCheck(instance?.id ?? "");
    await world.minutes(20);
    expect(world.instances()).toContainEqual({ id: instance?.id, state: "Terminating:Wait" });
    expect(world.zoomies.rows.get(hostId)?.cordoned).toBe(true);
    expect(world.zoomies.live.has(runner)).toBe(true);
    world.zoomies.endRunner(runner);
    await world.minutes(6);
    expect(world.instances().some(({ id }) => id === instance?.id)).toBe(false);
    await world.minutes(2);
    expect(world.zoomies.rows.has(hostId)).toBe(false);
  });

  test("waits on while a job runs on its host, though somebody takes our cordon away again and again", async () => {
    const world = launched({ group: { hooks } });
    await world.minutes(2);
    const [instance] = world.instances();
    const [host] = world.zoomies.rows.values();
    world.zoomies.addRunner(host?.id ?? "", "pool_a", "busy");
    world.cloud.failHealthCheck(instance?.id ?? "");
    await world.minutes(20, () => {
      if (host !== undefined) host.cordoned = false;
    });
    expect(world.instances()).toContainEqual({ id: instance?.id, state: "Terminating:Wait" });
    expect(world.zoomies.calls.filter((call) => call === `cordon ${host?.id} true`).length).toBeGreaterThan(10);
  });

  test("is let go as well when Drover ends it itself", async () => {
    const world = launched({ group: { hooks } });
    await world.minutes(25);
    expect(world.desired()).toBe(0);
    expect(world.instances()).toEqual([]);
    expect(world.zoomies.rows.size).toBe(0);
    expect(world.counts["Drains removed"]).toBe(1);
  });
});
