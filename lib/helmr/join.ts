import type { GroupMemory } from "./group-memory.ts";
import { headroomOf } from "./headroom.ts";
import { countsTowardsDesired, isTerminating, roleOf } from "./member-role.ts";
import type { Member, Observation, ObservedPool, Readings, Role, SuppliedPool } from "./observation.ts";
import type { WorkerHost } from "./protocol.ts";

export interface JoinSettings {
  readonly readinessMs: number;
  readonly describeLagMs: number;
}

/** What the ledger knows that no reading shows. */
export interface JoinContext {
  readonly memory: GroupMemory;
  /** Instances whose end we asked for and that was not refused: a Describe that shows them in service is old. */
  readonly ending: ReadonlySet<string>;
  /** Auto Scaling groups whose newest launch failed. */
  readonly failing: ReadonlySet<string>;
}

const noRoles: Readonly<Record<Role, number>> = {
  active: 0,
  in_flight: 0,
  stuck: 0,
  draining: 0,
  ready: 0,
  terminating: 0,
  lost_alive: 0,
  foreign: 0,
  unusable: 0,
};
const liveStatuses = new Set(["registering", "active", "draining", "unknown"]);

/** Puts a cycle's readings together, by instance id. Pure: `now` comes from the readings. */
export function join(readings: Readings, context: JoinContext, settings: JoinSettings): Observation {
  const { workerGroup, live, byInstance } = readings;
  const hostOf = new Map<string, WorkerHost>();
  for (const host of byInstance) {
    const known = hostOf.get(host.resource_id);
    // One resource may have rows in several Worker groups; a live one tells who runs on it now (helmr-notes 2.1).
    if (known === undefined || (!liveStatuses.has(known.status) && liveStatuses.has(host.status))) {
      hostOf.set(host.resource_id, host);
    }
  }
  const rows = readings.liveTruncated ? merged(live, byInstance, workerGroup.id) : live;
  const byPool = Map.groupBy(rows, (row) => row.worker_pool_id);
  const pools = readings.pools.map((supplied) =>
    observedPool(supplied, byPool.get(supplied.pool.id) ?? [], hostOf, readings, context, settings),
  );
  return {
    observedAt: readings.observedAt,
    workerGroup,
    pools,
    isWhole: readings.isWhole,
    findings: readings.findings,
    rows,
    strays: readings.strays,
    liveTruncated: readings.liveTruncated,
    inconsistent: readings.othersTruncated || contradicts(live, hostOf, workerGroup.id, readings.liveTruncated),
    hostOf,
    instances: readings.instances,
  };
}

function observedPool(
  supplied: SuppliedPool,
  rows: readonly WorkerHost[],
  hostOf: ReadonlyMap<string, WorkerHost>,
  { observedAt: now, workerGroup, instances }: Readings,
  { memory, ending, failing }: JoinContext,
  { readinessMs, describeLagMs }: JoinSettings,
): ObservedPool {
  const { fleet, group, pool } = supplied;
  const ours = (host: WorkerHost) => host.worker_group_id === workerGroup.id && host.worker_pool_id === pool.id;
  const members = group.instances.map((instance): Member => {
    const ec2 = instances.get(instance.id);
    const host = hostOf.get(instance.id);
    const role = roleOf(instance, ec2, host, memory.seen[instance.id], { ours, now, readinessMs });
    return { instance, ec2, host, role };
  });
  const count = { ...noRoles };
  for (const { role } of members) count[role] += 1;

  const raise = memory.pools[fleet.group]?.lastRaise;
  const isRecent = raise !== undefined && raise.outcome !== "refused" && now - raise.at < describeLagMs;
  const desired = isRecent ? Math.max(group.desired, raise.to) : group.desired;
  const counted = group.instances.filter(countsTowardsDesired).length;
  // Auto Scaling replaces a machine that ended by itself: its place has no instance any more, and one is on its way.
  const missing = Math.max(0, desired - counted) + members.filter((member) => isReplaced(member, group)).length;
  const inGroup = new Set(group.instances.map(({ id }) => id));
  return {
    ...supplied,
    members,
    count,
    desired,
    missing,
    inFlight: missing + count.in_flight,
    activeRows: rows.filter(({ status }) => status === "active").length,
    registeringRows: rows.filter(({ status }) => status === "registering").length,
    outside: rows.filter((row) => !inGroup.has(row.resource_id)),
    headroom: headroomOf(group.max, count, failing.has(group.name)),
    unsettled: unsettledOf(group, desired, counted),
    lags: members.some(({ instance }) => ending.has(instance.id) && !isTerminating(instance)),
  };
}

/** In service by the group's list and gone or halted by EC2's word, or found unhealthy: the group is about to replace it. */
function isReplaced({ instance, ec2 }: Member, { suspended }: SuppliedPool["group"]): boolean {
  const heals = !suspended.includes("HealthCheck") && !suspended.includes("ReplaceUnhealthy");
  const isDown = ec2 !== undefined && ec2 !== "pending" && ec2 !== "running" && ec2 !== "unknown";
  return heals && countsTowardsDesired(instance) && (isDown || !instance.healthy);
}

/** Anything on the provider's side that is under way or not as it must be for a scale-in (invariants 18 and 19). */
function unsettledOf(group: SuppliedPool["group"], desired: number, counted: number): string[] {
  const found: string[] = [];
  if (desired !== counted || group.desired !== counted) found.push(`${counted} of ${desired} desired instances`);
  const strange = group.instances.filter(({ state }) => state !== "InService");
  if (strange.length > 0) found.push(`${strange.length} instances not in service`);
  const unhealthy = group.instances.filter(({ healthy }) => !healthy);
  if (unhealthy.length > 0) found.push(`${unhealthy.length} unhealthy`);
  const bare = group.instances.filter((instance) => !instance.protected);
  if (bare.length > 0) found.push(`${bare.length} not protected from scale-in`);
  return found;
}

/** The cut-off list and the rows of our own instances together: all that is known. */
function merged(live: readonly WorkerHost[], byInstance: readonly WorkerHost[], groupId: string): WorkerHost[] {
  const rows = new Map(live.map((row) => [row.id, row]));
  for (const row of byInstance) {
    if (row.worker_group_id === groupId && liveStatuses.has(row.status)) rows.set(row.id, row);
  }
  return [...rows.values()];
}

/**
 * Whether the list of the group and the rows by instance disagree: between the two reads something changed. Also where a
 * row has a status that we do not know (invariant 39).
 */
function contradicts(
  live: readonly WorkerHost[],
  hostOf: ReadonlyMap<string, WorkerHost>,
  groupId: string,
  liveTruncated: boolean,
): boolean {
  const listed = new Map(live.map((row) => [row.resource_id, row]));
  const differ = (a: WorkerHost, b: WorkerHost) =>
    a.id !== b.id ||
    a.status !== b.status ||
    a.claim_version !== b.claim_version ||
    a.current_epoch !== b.current_epoch;
  for (const [instance, row] of hostOf) {
    if (row.status === "unknown") return true;
    if (row.worker_group_id !== groupId) continue;
    const other = listed.get(instance);
    if (other !== undefined ? differ(row, other) : liveStatuses.has(row.status) && !liveTruncated) return true;
  }
  return live.some(({ status }) => status === "unknown");
}
