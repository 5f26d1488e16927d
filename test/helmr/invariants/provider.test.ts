import type { LifecycleState } from "@aws-sdk/client-auto-scaling";
import { describe, expect, test } from "vitest";
import { decideDrain } from "../../../lib/helmr/drain-decision.ts";
import { FleetWorld, poolTags } from "../fleet-world.ts";
import { drainContext, hostRow, idleObservation, idlePlan, observation, observedPool } from "../observed.ts";

const scaleIns = (world: FleetWorld) => world.helmrCalls("scaleIn");
const terminates = (world: FleetWorld) => world.mutations().filter((name) => name.startsWith("Terminate"));

test("17. a host that is registering or draining, in any pool, forbids a new drain", () => {
  const pools = [observedPool({ name: "a", active: 2 }), observedPool({ name: "b", active: 1 })];
  const plan = idlePlan(...pools);
  const context = drainContext(...pools);
  expect(decideDrain(idleObservation(...pools), plan, context).pool).toBe(pools[0]);
  for (const status of ["registering", "draining"] as const) {
    const rows = [...idleObservation(...pools).rows, hostRow("b", "i-new", { status })];
    expect(decideDrain(observation(pools, { rows }), plan, context).pool).toBeUndefined();
  }
});

test("18. a host in flight, in any pool, forbids a new drain", () => {
  const pools = [observedPool({ name: "a", active: 2 }), observedPool({ name: "b", active: 1 }, { inFlight: 1 })];
  expect(decideDrain(idleObservation(...pools), idlePlan(...pools), drainContext(...pools)).pool).toBeUndefined();
});

describe("18. anything that is under way at the provider forbids a new drain", () => {
  test.each<[string, (world: FleetWorld) => void]>([
    [
      "a desired instance that is not there",
      (world) => world.cloud.updateGroup("asg-general", { desired: 3, suspended: ["Launch", "AZRebalance"] }),
    ],
    ["an instance that is pending", (world) => setState(world, "Pending")],
    ["an instance that is terminating", (world) => setState(world, "Terminating")],
    [
      "an instance refresh",
      (world) =>
        world.cloud.updateGroup("asg-general", { refreshes: [{ InstanceRefreshId: "r", Status: "InProgress" }] }),
    ],
  ])("%s", async (_, happen) => {
    const world = await new FleetWorld({ tags: { "drover:scale-in": "off" } }).seeded(2);
    await world.pass(420, 15);
    happen(world);
    world.cloud.updateGroup("asg-general", { tags: poolTags("general") });
    await world.pass(15, 5);
    expect(scaleIns(world)).toEqual([]);
  });
});

function setState(world: FleetWorld, state: LifecycleState): void {
  world.cloud.setMemberState(world.asg().ids[0] ?? "", state);
}

test.each<[string, (world: FleetWorld) => void]>([
  ["not protected from scale-in", (world) => world.cloud.protectFromScaleIn(world.asg().ids[0] ?? "", false)],
  ["in standby", (world) => setState(world, "Standby")],
])("19. an instance that is %s makes the inventory unstable: no drain", async (_, happen) => {
  const world = await new FleetWorld({ tags: { "drover:scale-in": "off" } }).seeded(2);
  await world.pass(420, 15);
  happen(world);
  world.cloud.updateGroup("asg-general", { tags: poolTags("general") });
  await world.pass(30, 5);
  expect(scaleIns(world)).toEqual([]);
});

test.each([
  ["Terminate is suspended", { suspended: ["Terminate", "AZRebalance"] }],
  ["AZRebalance is active", { suspended: [] }],
  ["capacity rebalancing is on", { capacityRebalance: true }],
  ["instances have a maximum lifetime", { maxInstanceLifetime: 86_400 }],
  ["a scaling policy is at work", { policies: [{ PolicyName: "cpu", Enabled: true }] }],
])("a group that is unsafe to shrink is not shrunk: %s", async (_, spec) => {
  const world = await new FleetWorld({ group: { desired: 2, ...spec } }).seeded();
  await world.pass(900, 15);
  expect(scaleIns(world)).toEqual([]);
  expect(terminates(world)).toEqual([]);
});

test("a group that became unsafe after the drain began is not shrunk until it is safe again", async () => {
  const world = await new FleetWorld().seeded(2);
  await world.until(() => world.hostsIn("draining").length === 1, { every: 1 });
  world.cloud.updateGroup("asg-general", { suspended: ["Terminate", "AZRebalance"] });
  await world.pass(300, 5);
  expect(world.hostsIn("termination_ready")).toHaveLength(1);
  expect(terminates(world)).toEqual([]);
  world.cloud.updateGroup("asg-general", { suspended: ["AZRebalance"] });
  await world.until(() => terminates(world).length === 1, { within: 60 });
});

test("22. at MinSize no drain is started", async () => {
  const world = await new FleetWorld({ group: { minSize: 2 } }).seeded();
  await world.pass(900, 15);
  expect(world.hostsIn("active")).toHaveLength(2);
  expect(scaleIns(world)).toEqual([]);
});

test("22. a MinSize that was raised after the drain began holds the terminate, and says so", async () => {
  const world = await new FleetWorld().seeded(2);
  await world.until(() => world.hostsIn("draining").length === 1, { every: 1 });
  world.cloud.updateGroup("asg-general", { minSize: 2 });
  await world.pass(300, 5);
  expect(terminates(world)).toEqual([]);
  expect(world.lines.some(({ fields }) => fields["code"] === "at_min_size")).toBe(true);
});

test.each([
  ["replacement", false, 2],
  ["capacity_reduction", true, 1],
] as const)(
  "22. a host that an operator drained for %s is ended with decrement: %s",
  async (reason, decrement, left) => {
    const world = await new FleetWorld({ tags: { "drover:idle-minutes": "600" } }).seeded(2);
    const [host] = world.hostsIn("active");
    if (host === undefined) throw new Error("no host");
    const fence = { expected_epoch: host.epoch ?? 0, expected_claim_version: host.claimVersion };
    await world.parts("operator").controlPlane.drain(host.id, { ...fence, reason });
    await world.until(() => terminates(world).length === 1, { within: 300 });
    const [call] = world.aws.mutations();
    expect(call?.input).toEqual({ InstanceId: host.resourceId, ShouldDecrementDesiredCapacity: decrement });
    await world.until(() => host.status === "lost", { within: 300 });
    await world.until(() => world.hostsIn("active").length === left, { within: 300 });
    expect(world.asg().desired).toBe(left);
    expect(terminates(world)).toHaveLength(1);
  },
);

test("a drained host that waits in its termination hook is let go, and desired capacity is not touched", async () => {
  const hooks = [
    { name: "drain", transition: "terminating" as const, heartbeatTimeout: 3_600, defaultResult: "CONTINUE" as const },
  ];
  const world = await new FleetWorld({ group: { hooks, desired: 2 } }).seeded();
  const [host] = world.hostsIn("active");
  world.cloud.terminateByHand(host?.resourceId ?? "");
  await world.pass(120, 5);
  const [other] = world.hostsIn("active");
  world.cloud.failHealthCheck(other?.resourceId ?? "");
  await world.until(() => world.mutations().includes("CompleteLifecycleAction"), { within: 300, every: 1 });
  expect(other?.status).toBe("termination_ready");
  expect(world.asg().desired).toBe(2);
  expect(terminates(world)).toEqual([]);
  await world.until(() => world.hostsIn("active").length === 2, { within: 600 });
  expect(world.helmr.calls.filter(({ operation }) => operation === "lost").length).toBeGreaterThan(0);
});

test("a group with a termination hook shrinks too: the hook is completed once the drained host waits in it", async () => {
  const hooks = [
    { name: "first", transition: "terminating" as const, heartbeatTimeout: 3_600 },
    { name: "second", transition: "terminating" as const, heartbeatTimeout: 3_600 },
  ];
  const world = await new FleetWorld({ group: { hooks } }).seeded(2);
  await world.until(() => world.asg().ids.length === 1, { within: 1_800 });
  expect(world.asg().desired).toBe(1);
  expect(terminates(world)).toHaveLength(1);
});

test("32. a host that is not ready after 900 s holds a place, raises an alarm and is not drained", async () => {
  let machines = 0;
  const fate = () => ({ kind: machines++ === 0 ? "healthy" : "never-registers" }) as const;
  const world = await new FleetWorld({ group: { maxSize: 3 }, fate }).seeded();
  world.cloud.setDesired("asg-general", 2);
  await world.pass(880, 15);
  const before = await world.cycle();
  expect(before.looked.observation.pools[0]?.count).toMatchObject({ active: 1, in_flight: 1, stuck: 0 });
  expect(before.looked.observation.pools[0]?.headroom).toBe(2);
  await world.pass(60, 15);
  const after = await world.cycle();
  expect(after.looked.observation.pools[0]?.count).toMatchObject({ active: 1, in_flight: 0, stuck: 1 });
  expect(after.looked.observation.pools[0]?.headroom).toBe(1);
  expect(world.counts.some(({ name }) => name === "Stalled")).toBe(true);
  expect(terminates(world)).toEqual([]);
});
