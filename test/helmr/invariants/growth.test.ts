import { expect, test } from "vitest";
import { decideRaise } from "../../../lib/helmr/raise-decision.ts";
import { FleetWorld } from "../fleet-world.ts";
import { counts, noon, observedPool, planRow } from "../observed.ts";

const raisesOf = (world: FleetWorld) =>
  world.aws
    .mutations()
    .filter(({ operation }) => operation === "SetDesiredCapacity")
    .map(({ input }) => (input as { DesiredCapacity: number }).DesiredCapacity);
const is = { now: noon, describeLagMs: 60_000 };

test("20. what is recommended is launched once, however many cycles pass before the hosts are ready", async () => {
  const world = await new FleetWorld().seeded();
  world.submit(10, 600);
  await world.cycle();
  await world.cycle();
  await world.pass(30, 2);
  expect(raisesOf(world)).toEqual([3]);
  await world.until(() => world.hostsIn("active").length === 3, { within: 300 });
  expect(raisesOf(world)).toEqual([3]);
});

test("20. a Describe that lags behind a raise does not launch it again", async () => {
  const world = await new FleetWorld().seeded();
  world.cloud.setDescribeLag(30_000);
  await world.pass(60, 15);
  world.submit(10, 600);
  await world.pass(60, 2);
  expect(raisesOf(world)).toEqual([3]);
});

test("20. launched is the recommendation minus what is in flight, within step, headroom and MaxSize", () => {
  const raise = (pool: Parameters<typeof observedPool>[0], recommended: number, step?: number) => {
    const observed = observedPool(pool);
    const fleet = { ...observed.fleet, maxLaunchStep: step };
    const row = planRow(observed, { recommended_additional_workers: recommended });
    return decideRaise({ ...observed, fleet }, row, "active", undefined, is);
  };
  expect(raise({ active: 2 }, 3).to).toBe(5);
  expect(raise({ active: 2, inFlight: 2 }, 3).to).toBe(5);
  expect(raise({ active: 2, inFlight: 3 }, 3).to).toBeUndefined();
  expect(raise({ active: 2, max: 4 }, 9)).toMatchObject({ to: 4, capped: true });
  expect(raise({ active: 4, max: 4 }, 9)).toMatchObject({
    capped: true,
    reasons: [expect.stringContaining("MaxSize")],
  });
  expect(raise({ active: 2 }, 9, 2).to).toBe(4);
  expect(raise({ active: 2 }, 0).to).toBeUndefined();
});

test("20. places that stuck and foreign machines hold are not launched into again", () => {
  const observed = observedPool(
    { active: 2, max: 4, desired: 4 },
    { headroom: 0, count: counts({ active: 2, stuck: 2 }) },
  );
  const row = planRow(observed, { recommended_additional_workers: 5 });
  expect(decideRaise(observed, row, "active", undefined, is)).toMatchObject({ capped: true });
});

test("21. desired capacity never exceeds MaxSize, and no raise is sent that would lower it", async () => {
  const world = await new FleetWorld({ group: { maxSize: 3 } }).seeded();
  world.submit(80, 900);
  await world.pass(30, 5);
  expect(raisesOf(world)).toEqual([3]);
  expect(world.counts.some(({ name }) => name === "CapacityCapped")).toBe(true);
});

test.each([2, 5])(
  "21. somebody else's raise to %i between our look and our write is not undone (cases.md 38)",
  async (theirs) => {
    const world = await new FleetWorld().seeded();
    world.submit(10, 600);
    const parts = world.parts();
    let isRaised = false;
    const groups: typeof parts.groups = {
      ...parts.groups,
      named(name, options) {
        if (!isRaised) world.cloud.setDesired("asg-general", theirs);
        isRaised = true;
        return parts.groups.named(name, options);
      },
    };
    const report = await world.cycle({ ...parts, groups });
    expect(report.raised).toMatchObject({ to: 3, result: "moved" });
    expect(world.asg().desired).toBe(theirs);
    await world.pass(30, 5);
    expect(world.asg().desired).toBe(Math.max(3, theirs));
  },
);

test("23. a drained host that may end and a pool in need wait for each other", async () => {
  const world = await new FleetWorld().seeded(3);
  const [host] = world.hostsIn("active");
  const fence = { expected_epoch: host?.epoch ?? 0, expected_claim_version: host?.claimVersion ?? 0 };
  await world.parts("operator").controlPlane.drain(host?.id ?? "", { ...fence, reason: "replacement" });
  for (let second = 0; world.hostsIn("draining").length > 0 && second < 60; second += 1) await world.pass(1);
  world.submit(30, 600);
  const before = world.mutations().length;
  const report = await world.cycle();
  expect(report.decision.ends).toHaveLength(1);
  expect(report.decision.raise).toBeDefined();
  expect(world.mutations().slice(before)).toEqual(["TerminateInstanceInAutoScalingGroup"]);
  await world.pass(2);
  await world.cycle();
  expect(world.mutations().slice(before)).toEqual(["TerminateInstanceInAutoScalingGroup", "SetDesiredCapacity"]);
});

test("24. while a raise may still land, no other is sent that could be undone by it", () => {
  const observed = observedPool({ active: 2 }, { desired: 4, missing: 2, inFlight: 2 });
  const row = planRow(observed, { recommended_additional_workers: 5 });
  const raised = (outcome: "unknown" | "sent" | "accepted", at: number) =>
    decideRaise(observed, row, "active", { to: 4, at, outcome }, is).to;
  expect(raised("unknown", noon - 30_000)).toBeUndefined();
  expect(raised("sent", noon - 30_000)).toBeUndefined();
  expect(raised("accepted", noon - 30_000)).toBe(7);
  expect(raised("unknown", noon - 60_000)).toBe(7);
});

test("23. at most one thing is changed at the provider in a cycle, also with several pools in need", async () => {
  const world = new FleetWorld({ pools: ["a", "b"], tags: { "drover:idle-minutes": "1" } });
  await world.pass(90, 15);
  for (const pool of world.group.pools.values()) {
    for (let each = 0; each < 10; each += 1)
      world.workload.submit({ kind: "restore", poolId: pool.id, durationMs: 60_000 });
  }
  let before = world.mutations().length;
  for (let cycle = 0; cycle < 120; cycle += 1) {
    await world.pass(15);
    await world.cycle();
    expect(world.mutations().length - before).toBeLessThanOrEqual(1);
    before = world.mutations().length;
  }
  expect(new Set(world.aws.mutations().map(({ operation }) => operation)).size).toBe(2);
});

test("24. a raise whose reply was lost is looked at again, not sent again", async () => {
  const world = await new FleetWorld().seeded();
  world.submit(10, 900);
  world.awsFault({ on: "auto-scaling:SetDesiredCapacity", kind: "reply-lost", at: { next: 1 } });
  await world.pass(120, 5);
  expect(raisesOf(world)).toEqual([3]);
  expect(world.asg().desired).toBe(3);
});

test("24. a raise that never arrived is sent again once no Describe shows it for long enough", async () => {
  const world = await new FleetWorld().seeded();
  world.submit(10, 900);
  world.awsFault({ on: "auto-scaling:SetDesiredCapacity", kind: "reset", at: { next: 1 } });
  await world.pass(55, 5);
  expect(raisesOf(world)).toEqual([3]);
  await world.pass(20, 5);
  expect(raisesOf(world)).toEqual([3, 3]);
  expect(world.asg().desired).toBe(3);
});

test("24. a raise that died with its invocation is in the ledger, and counted by the next one", async () => {
  const world = await new FleetWorld().seeded();
  world.submit(10, 900);
  world.awsFault({ on: "auto-scaling:SetDesiredCapacity", kind: "kill", moment: "after", caller: "first" });
  await world.cycle(world.parts("first")).catch(() => {});
  world.cloud.setDescribeLag(20_000);
  await world.pass(60, 5);
  expect(raisesOf(world)).toEqual([3]);
});

test("24. a terminate whose reply was lost lowers desired capacity once (cases.md 43)", async () => {
  const world = await new FleetWorld().seeded(3);
  world.awsFault({ on: "auto-scaling:TerminateInstanceInAutoScalingGroup", kind: "reply-lost", at: { next: 1 } });
  world.cloud.setDescribeLag(20_000);
  await world.until(() => world.asg().desired === 2, { within: 1_800 });
  await world.until(() => world.hostsIn("lost").length === 1, { within: 600 });
  expect(world.asg().desired).toBe(2);
  expect(world.mutations().filter((name) => name.startsWith("Terminate"))).toHaveLength(1);
});

test("24. a terminate that never arrived is sent again after its proof was read again", async () => {
  const world = await new FleetWorld().seeded(2);
  world.awsFault({ on: "auto-scaling:TerminateInstanceInAutoScalingGroup", kind: "reset", at: { next: 1 } });
  const ends = () => world.mutations().filter((name) => name.startsWith("Terminate")).length;
  await world.until(() => ends() === 1);
  await world.pass(100, 5);
  expect(ends()).toBe(1);
  await world.until(() => ends() === 2, { within: 60 });
  await world.until(() => world.asg().desired === 1);
});

test.each(["paused", "draining", "disabled"] as const)(
  "34. nothing is launched while the Worker group is %s",
  async (status) => {
    const world = await new FleetWorld().seeded();
    world.submit(10, 600);
    world.model.setGroupStatus(world.group.id, status);
    const change = (answer: unknown) => {
      const plan = answer as { pools: object[] };
      return { ...plan, pools: plan.pools.map((row) => ({ ...row, recommended_additional_workers: 2 })) };
    };
    world.helmrFault({ on: "plan", kind: "odd", change });
    await world.pass(60, 5);
    expect(raisesOf(world)).toEqual([]);
  },
);

test("one slow drain does not keep a pool from growing (cases.md 51)", async () => {
  const world = await new FleetWorld().seeded(2);
  await world.until(() => world.hostsIn("draining").length === 1, { every: 1 });
  const [host] = world.hostsIn("draining");
  world.model.demand.lease(host?.id ?? "", { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 });
  world.submit(12, 600);
  await world.until(() => world.hostsIn("active").length >= 3, { within: 300 });
  expect(host?.status).toBe("draining");
});

test("a pool whose hosts never become ready is not filled with more of them (helmr-notes 7.28)", async () => {
  let machines = 0;
  const fate = () => ({ kind: machines++ === 0 ? "healthy" : "never-registers" }) as const;
  const world = await new FleetWorld({ group: { maxSize: 20 }, fate }).seeded();
  world.submit(200, 36_000);
  await world.pass(3 * 3_600, 60);
  const desired = world.asg().desired;
  await world.pass(3_600, 60);
  expect(world.asg().desired).toBe(desired);
  expect(world.lines.some(({ fields }) => fields["code"] === "host_stuck")).toBe(true);
});

test("launches that fail are a finding, and shrink the headroom that Helmr is told to what is there", async () => {
  const world = await new FleetWorld({ group: { maxSize: 10 } }).seeded();
  for (const zone of ["a", "b", "c"]) world.cloud.setCapacity("m7i.large", `eu-central-1${zone}`, 0);
  world.submit(10, 3_600);
  await world.pass(240, 15);
  const short = await world.cycle();
  expect(short.looked.observation.pools[0]).toMatchObject({ headroom: 0, inFlight: 2 });
  expect(world.lines.some(({ fields }) => fields["code"] === "launch_failed")).toBe(true);
  for (const zone of ["a", "b", "c"]) world.cloud.setCapacity("m7i.large", `eu-central-1${zone}`, undefined);
  await world.until(() => world.hostsIn("active").length === 3, { within: 1_200 });
  expect((await world.cycle()).looked.observation.pools[0]?.headroom).toBe(7);
  expect(raisesOf(world)).toEqual([3]);
});
