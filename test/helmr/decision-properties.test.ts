import fc from "fast-check";
import { expect, test } from "vitest";
import { lifecycleStates } from "../../lib/capacity/group.ts";
import { decide } from "../../lib/helmr/decision.ts";
import type { LastRaise } from "../../lib/helmr/group-memory.ts";
import { join } from "../../lib/helmr/join.ts";
import type { Readings } from "../../lib/helmr/observation.ts";
import { defaultHelmrSettings } from "../../lib/helmr/parts.ts";
import { advisoryReasons } from "../../lib/helmr/plan-request.ts";
import type { Plan, WorkerHost } from "../../lib/helmr/protocol.ts";
import { decideRaise } from "../../lib/helmr/raise-decision.ts";
import { drainContext, hostRow, idleObservation, idlePlan, noon, observedPool, planRow } from "./observed.ts";

const settings = { ...defaultHelmrSettings, regionId: "region", workerRevision: undefined };
const small = fc.nat({ max: 6 });
const raise = fc.option(
  fc.record<LastRaise>({
    to: small,
    at: fc.integer({ min: noon - 120_000, max: noon }),
    outcome: fc.constantFrom("sent", "accepted", "unknown", "refused"),
  }),
  { nil: undefined },
);

test("a raise is above what the group has, within MaxSize, and never more than recommended minus in flight", () => {
  const pool = fc.record({ active: small, inFlight: small, min: small, max: small });
  fc.assert(
    fc.property(
      pool,
      small,
      fc.boolean(),
      raise,
      fc.nat({ max: 3 }),
      (short, recommended, saturated, lastRaise, step) => {
        const observed = observedPool(short);
        const fleet = { ...observed.fleet, maxLaunchStep: step === 0 ? undefined : step };
        const row = planRow(observed, { recommended_additional_workers: recommended, saturated });
        const is = { now: noon, describeLagMs: 60_000 };
        const { to } = decideRaise({ ...observed, fleet }, row, "active", lastRaise, is);
        if (to === undefined) return;
        expect(to).toBeGreaterThan(observed.group.desired);
        expect(to).toBeLessThanOrEqual(observed.group.max);
        expect(to - observed.desired).toBeLessThanOrEqual(recommended - observed.inFlight);
        if (step > 0) expect(to - observed.desired).toBeLessThanOrEqual(step);
      },
    ),
  );
});

const hostStatus = fc.constantFrom<WorkerHost["status"]>(
  "registering",
  "active",
  "draining",
  "termination_ready",
  "lost",
  "unknown",
);
const machine = fc.record({
  state: fc.constantFrom(...lifecycleStates, "unknown" as const),
  healthy: fc.boolean(),
  protected: fc.boolean(),
  ec2: fc.constantFrom("pending", "running", "shutting-down", "terminated", "stopped", "unknown", undefined),
  status: fc.option(hostStatus, { nil: undefined }),
  pool: fc.constantFrom("general", "general", "general", "other"),
  reason: fc.constantFrom("replacement", "capacity_reduction", "idle_scale_in", "shutdown"),
  listed: fc.boolean(),
});
const sound = fc.constant<typeof machine extends fc.Arbitrary<infer T> ? T : never>({
  state: "InService",
  healthy: true,
  protected: true,
  ec2: "running",
  status: "active",
  pool: "general",
  reason: "shutdown",
  listed: true,
});
const mostly = (is: boolean) => fc.integer({ min: 0, max: 4 }).map((draw) => (draw === 0 ? !is : is));
const scene = fc.record({
  machines: fc.array(fc.oneof({ weight: 4, arbitrary: sound }, { weight: 1, arbitrary: machine }), { maxLength: 5 }),
  desired: small,
  min: fc.nat({ max: 2 }),
  max: fc.integer({ min: 2, max: 8 }),
  liveTruncated: fc.boolean(),
  othersTruncated: mostly(false),
  isWhole: mostly(true),
  lastRaise: raise,
  plan: fc.record({
    complete: mostly(true),
    recommended: fc.oneof(fc.constant(0), small),
    compatible: fc.oneof(fc.constant(0), fc.nat({ max: 2 })),
    saturated: mostly(false),
    blocked: mostly(false),
    counts: fc.nat({ max: 6 }),
    unmatched: mostly(false),
  }),
});

function sceneOf(given: typeof scene extends fc.Arbitrary<infer T> ? T : never) {
  const listed = given.machines.filter((each) => each.listed).length;
  const base = observedPool({ min: given.min, max: given.max, desired: given.desired > 3 ? listed : given.desired });
  const rows = given.machines.flatMap(({ status, pool, reason }, index) =>
    status === undefined ? [] : [hostRow(pool, `i-${index}`, { status, drain_reason: reason })],
  );
  const live = rows.filter(({ status }) => !["termination_ready", "lost"].includes(status));
  const readings: Readings = {
    observedAt: noon,
    workerGroup: idleObservation(base).workerGroup,
    pools: [
      {
        ...base,
        group: {
          ...base.group,
          instances: given.machines.flatMap(({ listed, ec2: _, ...rest }, index) =>
            listed
              ? [{ id: `i-${index}`, zone: "a", state: rest.state, healthy: rest.healthy, protected: rest.protected }]
              : [],
          ),
        },
      },
    ],
    isWhole: given.isWhole,
    findings: [],
    live,
    liveTruncated: given.liveTruncated,
    othersTruncated: given.othersTruncated,
    strays: [],
    byInstance: rows,
    instances: new Map(
      given.machines.flatMap(({ ec2 }, index) => (ec2 === undefined ? [] : [[`i-${index}`, ec2] as const])),
    ),
  };
  const context = drainContext(base);
  const lastRaise = given.lastRaise === undefined ? {} : { lastRaise: given.lastRaise };
  const memory = {
    ...context.memory,
    pools: { [base.fleet.group]: { idleSince: noon - 3_600_000, idleSeenAt: noon, ...lastRaise } },
    seen: Object.fromEntries(
      given.machines.map((_, index) => [`i-${index}`, { group: base.fleet.group, since: noon - 3_600_000 }]),
    ),
  };
  const observation = join(readings, { memory, ending: new Set(), failing: new Set() }, settings);
  const [pool] = observation.pools;
  if (pool === undefined) throw new Error("no pool");
  const { complete, recommended, compatible, saturated, blocked, counts, unmatched } = given.plan;
  const plan: Plan = {
    ...idlePlan(pool),
    complete,
    unmatched_demand: unmatched ? [{ reason: "runtime_compatibility", count: 1 }] : [],
    pools: [
      planRow(pool, {
        complete,
        saturated,
        recommended_additional_workers: recommended,
        compatible_queued_items: compatible,
        scale_in_blocked: blocked,
        ...(counts === 0 ? { active_workers: pool.activeRows + 1 } : {}),
      }),
    ],
  };
  const advisory = advisoryReasons(observation, plan);
  const input = { observation, plan, advisory, memory, operations: [], pending: undefined, absent: new Set<string>() };
  return { pool, plan, given, decision: decide({ ...input, deployment: [], now: noon }, settings) };
}

test("whatever is seen: only drained hosts are ended, only whole and settled looks start a drain, MaxSize holds", () => {
  let drains = 0;
  fc.assert(
    fc.property(scene, (given) => {
      const { pool, plan, decision } = sceneOf(given);
      for (const { detail } of decision.ends) {
        const member = pool.members.find(({ instance }) => instance.id === detail.instance);
        expect(member?.host).toMatchObject({
          id: detail.hostId,
          status: "termination_ready",
          worker_pool_id: pool.pool.id,
        });
        expect(detail.decrement).toBe(member?.host?.drain_reason !== "replacement");
      }
      if (decision.raise !== undefined) {
        expect(decision.raise.to).toBeGreaterThan(pool.group.desired);
        expect(decision.raise.to).toBeLessThanOrEqual(pool.group.max);
        expect(decision.raise.to - pool.desired + pool.inFlight).toBeLessThanOrEqual(given.plan.recommended);
      }
      expect(pool.headroom).toBeGreaterThanOrEqual(0);
      expect(pool.count.active + pool.headroom).toBeLessThanOrEqual(Math.max(pool.group.max, pool.count.active));
      if (decision.drain.pool === undefined) return;
      drains += 1;
      expect(decision.raise ?? decision.ends[0]).toBeUndefined();
      expect([plan.complete, given.plan.blocked, given.plan.compatible, given.plan.saturated]).toEqual([
        true,
        false,
        0,
        false,
      ]);
      expect([given.isWhole, given.othersTruncated, given.plan.counts > 0, given.plan.unmatched]).toEqual([
        true,
        false,
        true,
        false,
      ]);
      expect(pool.members.every(({ instance }) => instance.state === "InService" && instance.protected)).toBe(true);
      expect(pool.group.desired).toBe(pool.members.length);
      expect(pool.group.desired).toBeGreaterThan(pool.group.min);
      expect(pool.count.active).toBeGreaterThan(pool.group.min);
      expect(pool.count.in_flight + pool.count.draining + pool.count.foreign).toBe(0);
    }),
    { numRuns: 3_000 },
  );
  expect(drains).toBeGreaterThan(10);
});
