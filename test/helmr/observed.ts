import type { GroupInstance } from "../../lib/capacity/group.ts";
import type { DrainContext } from "../../lib/helmr/drain-decision.ts";
import type { Member, Observation, ObservedPool, Role } from "../../lib/helmr/observation.ts";
import type { Plan, PoolPlan, WorkerHost } from "../../lib/helmr/protocol.ts";

export const noon = Date.parse("2026-10-22T12:00:00Z");
const hour = 3_600_000;

export const counts = (change: Partial<Record<Role, number>> = {}): Record<Role, number> => ({
  active: 0,
  in_flight: 0,
  stuck: 0,
  draining: 0,
  ready: 0,
  terminating: 0,
  lost_alive: 0,
  foreign: 0,
  unusable: 0,
  ...change,
});

interface PoolInShort {
  name?: string;
  active?: number;
  inFlight?: number;
  min?: number;
  max?: number;
  desired?: number;
}

export const hostRow = (pool: string, id: string, change: Partial<WorkerHost> = {}): WorkerHost => ({
  id: `host-of-${id}`,
  resource_id: id,
  worker_group_id: "group",
  worker_pool_id: `id-of-${pool}`,
  status: "active",
  claim_version: 1,
  current_epoch: 1,
  created_at: new Date(noon - hour).toISOString(),
  updated_at: new Date(noon - hour).toISOString(),
  drain_blockers: {},
  ...change,
});

/** A pool whose active hosts are sound and idle, as one cycle would observe it. */
export function observedPool(short: PoolInShort = {}, change: Partial<ObservedPool> = {}): ObservedPool {
  const { name = "general", active = 0, inFlight = 0, min = 0, max = 10, desired = active + inFlight } = short;
  const members = Array.from({ length: active }, (_, index): Member => {
    const id = `i-${name}-${index}`;
    const instance: GroupInstance = { id, state: "InService", zone: "a", healthy: true, protected: true };
    return { instance, ec2: "running", host: hostRow(name, id), role: "active" };
  });
  const asg = `asg-${name}`;
  return {
    fleet: {
      group: asg,
      paused: false,
      workerGroup: "default",
      pool: name,
      scaleIn: "verified",
      idleMinutes: 10,
      drainMinutes: 30,
      maxLaunchStep: undefined,
      policy: undefined,
      primaryMinimum: undefined,
    },
    group: {
      name: asg,
      min,
      max,
      desired,
      tags: {},
      suspended: ["AZRebalance"],
      newInstancesProtected: true,
      capacityRebalance: false,
      maxInstanceLifetimeSeconds: 0,
      weighted: false,
      hasWarmPool: false,
      warmPoolReuses: false,
      beingDeleted: false,
      instances: members.map(({ instance }) => instance),
    },
    pool: { id: `id-of-${name}`, worker_group_id: "group", name, status: "active", claim_version: 1 },
    members,
    count: counts({ active }),
    desired,
    missing: inFlight,
    inFlight,
    activeRows: active,
    registeringRows: 0,
    outside: [],
    headroom: Math.max(0, max - active),
    unsettled: [],
    lags: false,
    ...change,
  };
}

export function observation(pools: readonly ObservedPool[], change: Partial<Observation> = {}): Observation {
  const rows = pools.flatMap(({ members }) => members.flatMap(({ host }) => host ?? []));
  return {
    observedAt: noon,
    workerGroup: {
      id: "group",
      name: "default",
      region_id: "region",
      status: "active",
      claim_version: 1,
      supply_fingerprint: "fingerprint",
    },
    pools,
    isWhole: true,
    findings: [],
    rows,
    strays: [],
    liveTruncated: false,
    inconsistent: false,
    hostOf: new Map(rows.map((row) => [row.resource_id, row])),
    instances: new Map(),
    ...change,
  };
}

export const idleObservation = (...pools: ObservedPool[]): Observation => observation(pools);

export const planRow = (
  { pool, activeRows, registeringRows }: ObservedPool,
  change: Partial<PoolPlan> = {},
): PoolPlan => ({
  pool_id: pool.id,
  pool_name: pool.name,
  recommended_additional_workers: 0,
  compatible_queued_items: 0,
  registering_workers: registeringRows,
  active_workers: activeRows,
  complete: true,
  saturated: false,
  scale_in_blocked: false,
  ...change,
});

/** A whole plan in which nothing is to be done. */
export const idlePlan = (...pools: ObservedPool[]): Plan => ({
  worker_group_id: "group",
  worker_group_name: "default",
  region_id: "region",
  group_status: "active",
  pools: pools.map((pool) => planRow(pool)),
  unmatched_demand: [],
  complete: true,
  computed_at: new Date(noon).toISOString(),
});

/** A ledger in which these pools have been idle, and without a launch, for an hour. */
export const drainContext = (...pools: ObservedPool[]): DrainContext => ({
  memory: {
    pools: Object.fromEntries(pools.map(({ fleet }) => [fleet.group, { idleSince: noon - hour, idleSeenAt: noon }])),
    seen: Object.fromEntries(
      pools.flatMap(({ fleet, members }) =>
        members.map(({ instance }) => [instance.id, { group: fleet.group, since: noon - hour }] as const),
      ),
    ),
    open: [],
    said: {},
  },
  advisory: [],
  unsettled: [],
  deployment: [],
  now: noon,
  cooldownMs: 300_000,
  refusedScaleInMs: 60_000,
});
