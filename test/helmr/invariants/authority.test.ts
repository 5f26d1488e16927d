import { describe, expect, test } from "vitest";
import { takeHold } from "../../../lib/helmr/group-hold.ts";
import { helmrRun } from "../../../lib/helmr/helmr-run.ts";
import { reconcileGroup } from "../../../lib/helmr/reconcile-group.ts";
import { openSession } from "../../../lib/helmr/session.ts";
import { token } from "../../contract/helmr/setting.ts";
import { FleetWorld } from "../fleet-world.ts";

const terminates = (world: FleetWorld) => world.mutations().filter((name) => name.startsWith("Terminate"));

describe("25. without the Control Plane, or with a token that it refuses, nothing is asked of AWS", () => {
  test.each([
    ["unreachable", { on: "*", kind: "unreachable" }],
    ["failing", { on: "*", kind: "error", status: 500 }],
    ["refusing the token", { on: "*", kind: "error", status: 401, code: "unauthorized" }],
  ] as const)("%s", async (_, fault) => {
    const world = await new FleetWorld().seeded(2);
    await world.until(() => world.hostsIn("termination_ready").length === 1, { every: 1 });
    world.aws.reset();
    world.helmrFault(fault);
    world.submit(20, 600);
    await world.pass(300, 15);
    expect(world.aws.calls).toEqual([]);
  });

  test.each(["plan", "pendingScaleIn", "host", "scaleInReceipt"] as const)(
    "a token that is refused in the middle of a cycle, at %s, ends it before anything is changed",
    async (on) => {
      const world = await new FleetWorld().seeded(2);
      await world.until(() => world.hostsIn("draining").length === 1, { every: 1 });
      world.helmrFault({ on, kind: "error", status: 401, code: "unauthorized" });
      world.submit(20, 600);
      const before = world.mutations().length;
      await world.pass(60, 5);
      // A raise needs neither host nor receipt: only what stands before it ends the cycle.
      const ended =
        on === "plan" || on === "pendingScaleIn" ? world.mutations().length - before : terminates(world).length;
      expect(ended).toBe(0);
    },
  );
});

test("26. Helmr selects the host: the reconciler itself drains none, so no fence of its own can be stale", async () => {
  const world = await new FleetWorld().seeded(3);
  await world.until(() => world.asg().desired === 1, { within: 3_600 });
  expect(world.helmrCalls("drain")).toEqual([]);
});

test("36. what is termination_ready is finished although the plan fails, and nothing else is begun", async () => {
  const world = await new FleetWorld().seeded(3);
  await world.until(() => world.hostsIn("draining").length === 1, { every: 1 });
  world.helmrFault({ on: "plan", kind: "error", status: 500 });
  world.submit(20, 60);
  await world.until(() => world.model.unsettledOperations(world.group.id).length === 0, { within: 300 });
  expect(world.asg().desired).toBe(2);
  expect(world.mutations()).toEqual(["TerminateInstanceInAutoScalingGroup"]);
  await world.pass(600, 15);
  expect(world.helmrCalls("scaleIn")).toHaveLength(1);
});

describe("37. one reconciler at a time for each Worker group", () => {
  test("the second one finds the group held and changes nothing", async () => {
    const world = await new FleetWorld().seeded();
    world.submit(10, 600);
    const first = world.parts("first");
    const hold = await takeHold(first, "default", "first", 30_000);
    expect(hold).toBeDefined();
    expect(await takeHold(world.parts("second"), "default", "second", 30_000)).toBeUndefined();
  });

  test("a holder that was overtaken sends nothing any more", async () => {
    const world = await new FleetWorld().seeded();
    const parts = world.parts("slow");
    const hold = await takeHold(parts, "default", "slow", 30_000);
    if (hold === undefined) throw new Error("held");
    const session = await openSession(parts, "default", hold);
    world.submit(10, 600);
    await world.pass(31);
    await world.cycle();
    const before = world.mutations().length;
    await expect(reconcileGroup(parts, session)).rejects.toThrow(/Another invocation/);
    expect(world.mutations()).toHaveLength(before);
  });

  test("two invocations at once: the newcomer asks, the holder lets go between cycles, neither launches twice", async () => {
    const world = await new FleetWorld().seeded();
    world.submit(10, 3_600);
    const budget = { budgetMs: 90_000, remainingMs: () => 200_000 };
    const first = helmrRun(world.parts("first"), budget);
    const second = new Promise<Awaited<typeof first>>((resolve, reject) => {
      world.cloud.at(world.clock.now() + 40_000, () => helmrRun(world.parts("second"), budget).then(resolve, reject));
    });
    const began = world.clock.now();
    let endOfFirst = 0;
    void first.then(() => {
      endOfFirst = world.clock.now() - began;
    });
    const runs = await world.drive(Promise.all([first, second]));
    expect(runs.map(({ served, held, failed }) => [served, held, failed])).toEqual([
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(endOfFirst).toBeLessThan(50_000);
    expect(world.mutations()).toEqual(["SetDesiredCapacity"]);
  });
});

test("38. the token is in no log line, no metric, no ledger item and no error", async () => {
  const world = await new FleetWorld({ model: { token } }).seeded(2);
  world.helmrFault({ on: "plan", kind: "error", status: 401, code: "unauthorized", message: "no" });
  await world.pass(30, 15);
  const { failures, lines } = world;
  const told = JSON.stringify([
    lines,
    failures.map(String),
    await world.memory.query("helmr-group#default", { limit: 9 }),
  ]);
  expect(failures).toHaveLength(2);
  expect(told).not.toContain(token);
});

describe("42. the update stream only ever says: look", () => {
  test("a stream that is dead changes nothing but latency", async () => {
    const world = await new FleetWorld().seeded();
    world.feed.state = "stalled";
    world.submit(10, 600);
    const run = await world.run(60_000);
    expect(run).toMatchObject({ served: 1, failed: 0 });
    expect(run.cycles).toBeGreaterThanOrEqual(4);
    expect(world.asg().desired).toBe(3);
  });

  test("an event alone mutates nothing, however many come", async () => {
    const world = await new FleetWorld().seeded();
    const parts = world.parts();
    let hint = () => {};
    const followUpdates = (onChange: () => void) => {
      hint = onChange;
      return { close: () => {} };
    };
    for (let second = 1; second < 20; second += 1) world.cloud.at(world.clock.now() + second * 1_000, () => hint());
    const run = await world.drive(
      helmrRun({ ...parts, followUpdates }, { budgetMs: 20_000, remainingMs: () => 60_000 }),
    );
    expect(run.cycles).toBeGreaterThan(5);
    expect(run.cycles).toBeLessThanOrEqual(11);
    expect(world.mutations()).toEqual([]);
  });

  test("a hint leads to a look within moments", async () => {
    const world = await new FleetWorld().seeded();
    const at = world.clock.now() + 7_300;
    world.cloud.at(at, () => world.submit(10, 600));
    await world.run(14_000);
    const [raise] = world.aws.mutations();
    expect((raise?.at ?? 0) - at).toBeLessThanOrEqual(2_000);
  });
});

test("43. a declared policy is replaced under the revision just read, in a cycle, and is left alone then", async () => {
  const fields = ["cpu_millis", "memory_bytes", "disk_bytes", "vm_slots", "max_tasks", "io_bytes_per_second"];
  const policy = Object.fromEntries(
    [...fields, "local_headroom_slots"].map((field) => [`drover:helmr-policy/${field}`, "1"]),
  );
  const world = new FleetWorld({ tags: { ...policy, "drover:helmr-primary": "1" } });
  await world.seeded();
  expect(world.failures).toEqual([]);
  expect(world.helmr.calls.filter(({ operation }) => operation === "replaceResourcePolicy")).toHaveLength(1);
  const [pool] = world.group.pools.values();
  expect(pool?.policy.local_headroom_slots).toBe(1);
  expect(world.group.primaryPoolId).toBe(pool?.id);
});

test("a dirty schema or an unexpected worker revision starts no drain, and lets a pool grow", async () => {
  const world = await new FleetWorld({ settings: { workerRevision: "2" } }).seeded(2);
  await world.pass(900, 15);
  expect(world.helmrCalls("scaleIn")).toEqual([]);
  world.submit(20, 60);
  await world.until(() => world.asg().desired > 2, { within: 60 });
});

test("a group that is paused in the ledger asks neither Helmr nor AWS, and goes on when it is resumed", async () => {
  const world = await new FleetWorld().seeded();
  await world.parts().pauses.set("default", true, "rotation");
  world.helmr.reset();
  world.aws.reset();
  world.submit(10, 600);
  await world.pass(120, 15);
  expect([...world.helmr.calls, ...world.aws.calls]).toEqual([]);
  await world.parts().pauses.set("default", false, "done");
  await world.until(() => world.asg().desired === 3, { within: 30 });
});

test("an Auto Scaling group that is tagged as paused is observed and not changed", async () => {
  const world = await new FleetWorld({ tags: { "drover:paused": "true" } }).seeded(2);
  world.submit(20, 30);
  await world.pass(1_200, 15);
  expect(world.mutations()).toEqual([]);
  expect(world.helmrCalls("plan").length).toBeGreaterThan(50);
});
