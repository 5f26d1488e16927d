import type { PlanRequest } from "../../../../lib/helmr/protocol.ts";
import { recordEvidence } from "./evidence.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { countRows } from "./host-rows.ts";
import { type PackItem, pack } from "./packing.ts";
import { poolRow } from "./pool-row.ts";
import { badRequest, Refusal } from "./refusal.ts";
import { groupOf, type Region } from "./region.ts";
import type { Group } from "./state.ts";
import { activePools, packPool } from "./supply.ts";

const candidateLimit = 5_000;
const hostLimit = 1_000;

/**
 * The advisory plan of a group (contract, Resolve and plan; helmr-notes 3). A full, matching observation also refreshes
 * the evidence for admission. Throws 400, 404, and execution_capacity_unavailable for an old, future or mismatched one.
 */
export function plan(region: Region, groupId: string, request: PlanRequest) {
  const group = groupOf(region, groupId);
  const now = region.now();
  const observedAt = assertCurrent(region, group, request);
  const pools = activePools(group);
  const asked = new Map(request.pools.map((each) => [each.pool_id, each]));
  for (const id of asked.keys()) {
    if (!pools.some((pool) => pool.id === id)) throw badRequest("a pool is not an active pool of this group");
  }
  const matching = pools.every((pool) => {
    const row = asked.get(pool.id);
    return (
      row !== undefined &&
      row.active_workers === countRows(pool.hosts, "active") &&
      row.registering_workers === countRows(pool.hosts, "registering")
    );
  });
  if (matching) {
    const headroom = request.pools.map((each) => [each.pool_id, each.max_additional_workers] as const);
    recordEvidence(region, groupId, observedAt, new Map(headroom));
  }
  region.emit({ type: "plan", groupId, evidence: matching });

  const items = [...group.queue.values()].filter((item) => item.outsidePlan !== true);
  const tooManyHosts = pools.reduce((sum, pool) => sum + countRows(pool.hosts, "active"), 0) > hostLimit;
  const packed = pack(
    items.slice(0, candidateLimit),
    pools.flatMap((pool) => {
      const cap = asked.get(pool.id)?.max_additional_workers ?? 0;
      return packPool(region, pool, cap, asked.has(pool.id)) ?? [];
    }),
    group.primaryPoolId,
  );
  const rows = pools
    .filter((pool) => asked.has(pool.id))
    .map((pool) => poolRow(region, group, pool, packed.pools.get(pool.id), tooManyHosts));
  const complete =
    items.length <= candidateLimit && !tooManyHosts && rows.every((row) => row.placements.immediate !== null);
  return {
    worker_group_id: group.id,
    worker_group_name: group.name,
    region_id: group.regionId,
    group_status: group.status,
    pools: rows.map((row) => ({ ...row, complete })),
    unmatched_demand: counted(items, packed.unmatched),
    complete,
    computed_at: new Date(now).toISOString(),
  };
}

function assertCurrent(region: Region, group: Group, request: PlanRequest): number {
  const now = region.now();
  const observedAt = Date.parse(request.observed_at);
  const { evidenceMaxAgeMs, evidenceStatus } = region.settings;
  const refuse = (why: string) => new Refusal(evidenceStatus, why, "execution_capacity_unavailable");
  if (observedAt > now) throw refuse("the observation is dated in the future");
  if (now - observedAt > evidenceMaxAgeMs) throw refuse("the observation is too old");
  if (request.expected_supply_fingerprint !== fingerprintOf(group)) throw refuse("the supply has changed");
  return observedAt;
}

function counted(items: readonly PackItem[], unmatched: ReadonlyMap<string, string>) {
  const counts = new Map<string, number>();
  for (const item of items) {
    const reason = unmatched.get(item.id);
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => (a.reason < b.reason ? -1 : 1));
}
