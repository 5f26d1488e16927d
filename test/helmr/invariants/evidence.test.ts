import { expect, test } from "vitest";
import { fingerprintOf } from "../../../infra/local/helmr/model/fingerprint.ts";
import { decideDrain } from "../../../lib/helmr/drain-decision.ts";
import { headroomOf } from "../../../lib/helmr/headroom.ts";
import { advisoryReasons, planRequest } from "../../../lib/helmr/plan-request.ts";
import type { PlanRequest } from "../../../lib/helmr/protocol.ts";
import { FleetWorld } from "../fleet-world.ts";
import { drainContext, idleObservation, idlePlan, observation, observedPool } from "../observed.ts";

const plans = (world: FleetWorld) =>
  world.helmr.calls
    .filter(({ operation }) => operation === "plan")
    .map(({ at, body, outcome }) => ({ at, outcome, body: body as PlanRequest }));
const resolves = (world: FleetWorld) => world.helmr.calls.filter(({ operation }) => operation === "resolveGroup");

test("8. observed_at is taken before the first read", async () => {
  const world = await new FleetWorld().seeded();
  world.helmr.reset();
  world.helmrFault({ on: "resolveGroup", kind: "delay", ms: 4_000, at: { next: 1 } });
  const asked = world.clock.now();
  await world.drive(world.cycle());
  expect(Date.parse(plans(world)[0]?.body.observed_at ?? "")).toBe(asked);
  expect(plans(world)[0]?.at).toBeGreaterThanOrEqual(asked + 4_000);
});

test("9. an observation that took too long is made anew instead of being sent", async () => {
  const world = await new FleetWorld({ settings: { leaseMs: 60_000 } }).seeded();
  world.helmr.reset();
  world.helmrFault({ on: "hosts", kind: "delay", ms: 25_000, at: { next: 1 } });
  const asked = world.clock.now();
  await world.drive(world.cycle());
  expect(resolves(world)).toHaveLength(2);
  expect(plans(world)).toHaveLength(1);
  const [plan] = plans(world);
  expect(Date.parse(plan?.body.observed_at ?? "")).toBeGreaterThanOrEqual(asked + 25_000);
  expect((plan?.at ?? 0) - Date.parse(plan?.body.observed_at ?? "")).toBeLessThanOrEqual(20_000);
});

test("10. execution_capacity_unavailable leads to a whole new observation, never to the same body again", async () => {
  const world = await new FleetWorld().seeded();
  world.helmr.reset();
  world.helmrFault({ on: "plan", kind: "error", status: 503, code: "execution_capacity_unavailable", at: { next: 2 } });
  world.helmrFault({ on: "resolveGroup", kind: "delay", ms: 10 });
  const report = await world.drive(world.cycle());
  expect(plans(world)).toHaveLength(3);
  expect(resolves(world)).toHaveLength(3);
  expect(new Set(plans(world).map(({ body }) => body.observed_at)).size).toBe(3);
  expect(report.looked.plan?.complete).toBe(true);
});

test("10. a supply that changes between resolve and plan is observed anew", async () => {
  const world = await new FleetWorld().seeded();
  world.helmr.reset();
  world.helmrFault({
    on: "resolveGroup",
    kind: "odd",
    at: { next: 1 },
    change: (group) => ({ ...(group as object), supply_fingerprint: "of a moment ago" }),
  });
  await world.cycle();
  expect(plans(world).map(({ outcome }) => outcome)).toEqual(["execution_capacity_unavailable", "ok"]);
});

test("11. the fingerprint is the one of the same cycle's resolve, in every cycle", async () => {
  const world = new FleetWorld();
  for (let cycle = 0; cycle < 12; cycle += 1) {
    await world.pass(10);
    world.helmr.reset();
    await world.cycle();
    for (const { body } of plans(world)) expect(body.expected_supply_fingerprint).toBe(fingerprintOf(world.group));
  }
});

test("12. every active pool is in the plan, without headroom too; a pending one is not", async () => {
  const world = new FleetWorld({ pools: ["a", "b", "full"] });
  await world.pass(90, 15);
  world.addPool("waiting", { group: { minSize: 0 } });
  world.cloud.updateGroup("asg-full", { maxSize: 1 });
  world.helmr.reset();
  const report = await world.cycle();
  const rows = plans(world)[0]?.body.pools ?? [];
  expect(rows).toHaveLength(3);
  expect(rows.map((row) => row.max_additional_workers).sort()).toEqual([0, 4, 4]);
  expect(report.looked.observation.findings.map(({ code }) => code)).toContain("pool_not_seeded");
});

test("12. a plan refreshes evidence in every cycle, also at the maximum size", async () => {
  const world = await new FleetWorld({ group: { maxSize: 1 } }).seeded();
  const from = world.clock.now();
  await world.pass(300, 15);
  expect(world.model.freshShare(world.group.id, from, world.clock.now())).toBe(1);
});

test("12. more than 64 pools fit into no plan: none is sent, and nothing is changed", () => {
  const pools = Array.from({ length: 65 }, (_, index) => observedPool({ name: `pool-${index}` }));
  expect(planRequest(observation(pools))).toBeUndefined();
  expect(planRequest(observation(pools.slice(0, 64)))?.pools).toHaveLength(64);
});

test("13. headroom lies within 0 and 1,000, and holds neither active hosts nor places that are spent", () => {
  const { count } = observedPool();
  expect(headroomOf(5_000, count, false)).toBe(1_000);
  expect(headroomOf(1, { ...count, active: 3 }, false)).toBe(0);
  expect(headroomOf(10, { ...count, active: 3, in_flight: 2 }, false)).toBe(7);
  const spent = { stuck: 1, draining: 1, ready: 1, terminating: 1, lost_alive: 1, foreign: 1, unusable: 1 };
  expect(headroomOf(10, { ...count, active: 1, ...spent }, false)).toBe(2);
  expect(headroomOf(10, { ...count, active: 1, in_flight: 2 }, true)).toBe(2);
});

test("14. counts in the plan that differ from the inventory make it advisory: no drain", async () => {
  const world = await new FleetWorld().seeded(2);
  const change = (answer: unknown) => {
    const plan = answer as { pools: { active_workers: number }[] };
    return { ...plan, pools: plan.pools.map((row) => ({ ...row, active_workers: row.active_workers + 1 })) };
  };
  world.helmrFault({ on: "plan", kind: "odd", change });
  await world.pass(900, 15);
  expect(world.helmrCalls("scaleIn")).toEqual([]);
  world.helmr.clear();
  await world.until(() => world.helmrCalls("scaleIn").length > 0, { within: 600 });
});

test("15. each of the contract's conditions alone forbids a drain", () => {
  const pool = observedPool({ active: 2 });
  const context = drainContext(pool);
  const plan = idlePlan(pool);
  const row = plan.pools[0];
  if (row === undefined) throw new Error("no row");
  expect(decideDrain(idleObservation(pool), plan, context).pool).toBe(pool);
  const refused = [
    undefined,
    { ...plan, complete: false },
    { ...plan, unmatched_demand: [{ reason: "provider_pool_unavailable", count: 1 }] },
    { ...plan, group_status: "paused" as const },
    ...[
      { complete: false },
      { saturated: true },
      { scale_in_blocked: true },
      { compatible_queued_items: 1 },
      { recommended_additional_workers: 1 },
    ].map((change) => ({ ...plan, pools: [{ ...row, ...change }] })),
    { ...plan, pools: [] },
  ];
  for (const each of refused) expect(decideDrain(idleObservation(pool), each, context).pool).toBeUndefined();
});

test("16. a list that reached its limit permits no scale-in unless our own hosts' rows equal the plan's counts", () => {
  const pool = observedPool({ active: 2 });
  const plan = idlePlan(pool);
  const cut = { ...idleObservation(pool), liveTruncated: true };
  expect(advisoryReasons(cut, plan)).toEqual([]);
  const fewer = { ...pool, activeRows: 1 };
  const advisory = advisoryReasons({ ...cut, pools: [fewer] }, plan);
  expect(advisory).not.toEqual([]);
  expect(decideDrain(cut, plan, { ...drainContext(pool), advisory }).pool).toBeUndefined();
  // Any other list that was cut off is no inventory at all.
  expect(advisoryReasons({ ...cut, inconsistent: true }, plan)).not.toEqual([]);
});

test("33. a partial plan may raise and never lowers", async () => {
  const world = await new FleetWorld().seeded(2);
  const change = (answer: unknown) => {
    const plan = answer as { pools: object[] };
    const pools = plan.pools.map((row) => ({ ...row, complete: false }));
    return { ...plan, complete: false, unmatched_demand: [], pools };
  };
  world.helmrFault({ on: "plan", kind: "odd", change });
  await world.pass(900, 15);
  expect(world.helmrCalls("scaleIn")).toEqual([]);
  world.submit(20, 60);
  await world.until(() => world.asg().desired > 2, { within: 60 });
});

test("39. fields that we do not know are ignored; values that we do not know permit nothing", async () => {
  const world = await new FleetWorld().seeded(2);
  const novel = (answer: unknown) => ({ ...(answer as object), a_new_field: { deep: [1] } });
  world.helmrFault({ on: "resolveGroup", kind: "odd", change: novel });
  const hosts = (answer: unknown) => {
    const { worker_hosts: rows } = answer as { worker_hosts: object[] };
    return { worker_hosts: rows.map((row) => ({ ...row, status: "hibernating" })) };
  };
  await world.cycle();
  const removes = world.helmrFault({ on: "hosts", kind: "odd", change: hosts });
  await world.pass(900, 15);
  expect(world.helmrCalls("scaleIn")).toEqual([]);
  expect(world.mutations()).toEqual([]);
  removes();
  world.helmrFault({ on: "pendingScaleIn", kind: "odd", change: () => ({ operation: null, more: true }) });
  await world.until(() => world.helmrCalls("scaleIn").length > 0, { within: 600 });
});

test("40. placements are never added up: whatever they say, the same is decided", async () => {
  const decided = async (placements: unknown) => {
    const world = await new FleetWorld().seeded(2);
    const change = (answer: unknown) => {
      const plan = answer as { pools: object[] };
      return { ...plan, pools: plan.pools.map((row) => ({ ...row, placements })) };
    };
    world.helmrFault({ on: "plan", kind: "odd", change });
    world.submit(6, 60);
    const { decision } = await world.cycle();
    return [decision.raise?.to, decision.raises.map(({ reasons }) => reasons), decision.drain.reasons];
  };
  const huge = { immediate: 1_000_000, after_optional_reclaim: 1_000_000 };
  expect(await decided(huge)).toEqual(await decided({ immediate: 0, after_optional_reclaim: 0 }));
});
