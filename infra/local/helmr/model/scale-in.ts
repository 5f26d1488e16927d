import { assertDrainable, refuseWhileQueued } from "./drain.ts";
import { isFresh } from "./host-rows.ts";
import { addReceipt, phaseOf, unsettled } from "./receipts.ts";
import { conflict } from "./refusal.ts";
import { poolOf, type Region } from "./region.ts";
import type { Host, Pool, Receipt } from "./state.ts";
import { commitDrain } from "./worker-life.ts";

/**
 * Selects an eligible host and commits its drain together with a durable receipt (contract, Retry scale-in safely). The
 * same key returns that selection, for another pool it conflicts; one unsettled operation a group. The codes beside 409
 * are not published: `conflict`, and queued_demand_present as for a drain.
 */
export function scaleIn(region: Region, groupId: string, poolId: string, operationKey: string): Receipt {
  const pool = poolOf(region, groupId, poolId);
  const known = keyed(region, operationKey);
  if (known !== undefined) {
    if (known.groupId !== groupId || known.poolId !== poolId) throw conflict("the operation key is another pool's");
    phaseOf(region, known);
    return known;
  }
  if (unsettled(region, groupId) !== undefined) throw conflict("a scale-in operation of this group is not settled");
  const host = selectHost(region, pool);
  if (host === undefined) throw conflict("no host is eligible for scale-in");
  assertDrainable(region, host);
  refuseWhileQueued(region, groupId);
  commitDrain(region, host, host.epoch ?? 0, "idle_scale_in");
  const receipt: Receipt = {
    operationKey,
    groupId,
    poolId,
    hostId: host.id,
    resourceId: host.resourceId,
    epoch: host.epoch ?? 0,
    claimVersion: host.claimVersion,
    phase: "draining",
    createdAt: region.now(),
  };
  addReceipt(region, receipt);
  return receipt;
}

/** The oldest active, freshly observed host without real work; optional work alone does not spare it. */
function selectHost(region: Region, pool: Pool): Host | undefined {
  let chosen: Host | undefined;
  for (const host of pool.hosts) {
    if (host.status !== "active" || !isFresh(region, host) || isBusy(host)) continue;
    if (chosen === undefined || host.createdAt < chosen.createdAt) chosen = host;
    else if (host.createdAt === chosen.createdAt && host.id < chosen.id) chosen = host;
  }
  return chosen;
}

function isBusy(host: Host): boolean {
  if (host.sessionProcesses > 0) return true;
  for (const lease of host.leases.values()) if (lease.kind === "work") return true;
  return false;
}

function keyed(region: Region, operationKey: string): Receipt | undefined {
  for (const receipts of region.receipts.values()) {
    const receipt = receipts.get(operationKey);
    if (receipt !== undefined) return receipt;
  }
  return undefined;
}
