import { declaredWorkerGroups } from "../../lib/capacity/helmr-fleets.ts";
import { ControlPlaneError } from "../../lib/helmr/control-plane.ts";
import type { PlanRequestPool } from "../../lib/helmr/protocol.ts";
import type { Reach } from "./reach.ts";

type Planned = { readonly said: string; readonly problem?: undefined } | { readonly problem: string };

const tries = 3;
/** The most that one pool may report (the contract). */
const mostAdditional = 1_000;

/**
 * Resolves the Worker group and reads one plan, to see that both work. It reports no headroom that could be launched
 * twice: only what the declared groups have between desired capacity and MaxSize. A stale observation is made anew.
 */
export async function planOnce(reach: Reach, groupName: string): Promise<Planned> {
  let refusal = "";
  for (let attempt = 0; attempt < tries; attempt += 1) {
    try {
      return await observeAndPlan(reach, groupName);
    } catch (error) {
      if (!(error instanceof ControlPlaneError) || error.code !== "execution_capacity_unavailable") throw error;
      refusal = error.message;
    }
  }
  return { problem: `The group was resolved, but no plan could be read: ${refusal}` };
}

async function observeAndPlan(reach: Reach, groupName: string): Promise<Planned> {
  const controlPlane = reach.controlPlane();
  const observedAt = new Date(reach.clock.now()).toISOString();
  const group = await controlPlane.resolveGroup(reach.regionId(), groupName);
  const groups = await reach.groups();
  const fleets = declaredWorkerGroups(groups).find(({ name }) => name === groupName)?.fleets ?? [];
  const supplied = await Promise.all(
    fleets.map(async (fleet) => ({
      pool: await controlPlane.resolvePool(group.id, fleet.pool),
      supplier: groups.find(({ name }) => name === fleet.group),
    })),
  );
  const active = supplied.filter(({ pool }) => pool.status === "active");
  if (active.length === 0) {
    return {
      said: `${groupName} was resolved (${group.status}). None of its pools is active, so there is nothing to plan yet.`,
    };
  }
  const { worker_hosts: hosts } = await controlPlane.hosts({
    worker_group_id: group.id,
    statuses: ["registering", "active"],
  });
  const count = (poolId: string, status: string) =>
    hosts.filter((host) => host.worker_pool_id === poolId && host.status === status).length;
  const rows = active.map(({ pool: { id }, supplier }): PlanRequestPool => {
    const hosts = count(id, "active");
    const { max = 0, desired = 0 } = supplier ?? {};
    return {
      pool_id: id,
      max_additional_workers: Math.min(Math.max(max - Math.max(desired, hosts), 0), mostAdditional),
      active_workers: hosts,
      registering_workers: count(id, "registering"),
    };
  });
  const plan = await controlPlane.plan(group.id, {
    expected_supply_fingerprint: group.supply_fingerprint,
    observed_at: observedAt,
    pools: rows,
  });
  return {
    said: `${groupName} was resolved (${group.status}) and planned: ${plan.pools.length} pools, complete: ${plan.complete}.`,
  };
}
