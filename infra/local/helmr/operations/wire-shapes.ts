import { fingerprintOf } from "../model/fingerprint.ts";
import { drainBlockers } from "../model/host-rows.ts";
import type { Settings } from "../model/options.ts";
import { phaseOf } from "../model/receipts.ts";
import type { Region } from "../model/region.ts";
import type { Group, Host, Pool, Profile, Receipt } from "../model/state.ts";
import { activePools } from "../model/supply.ts";

const profileLimit = 100;
const time = (at: number) => new Date(at).toISOString();
const timeOf = (name: string, at: number | undefined) => (at === undefined ? {} : { [name]: time(at) });

/** A Worker group as resolution shows it. */
export function groupShape(group: Group) {
  return { ...groupIdentity(group), supply_fingerprint: fingerprintOf(group) };
}

/** A Worker group without the fingerprint, which is promised for resolution only. */
export function groupIdentity(group: Group) {
  return {
    id: group.id,
    name: group.name,
    region_id: group.regionId,
    status: group.status,
    claim_version: group.claimVersion,
    ...(group.primaryPoolId === undefined ? {} : { primary_pool_id: group.primaryPoolId }),
    retained_profiles: profiles(group, group.profiles),
  };
}

export function poolShape(group: Group, pool: Pool) {
  const own = group.profiles.filter((profile) => profile.platform === pool.template?.platform);
  return {
    id: pool.id,
    worker_group_id: pool.groupId,
    name: pool.name,
    status: pool.status,
    claim_version: pool.claimVersion,
    ...timeOf("sealed_at", pool.sealedAt),
    retained_profiles: profiles(group, own),
  };
}

export function hostShape(host: Host) {
  return {
    id: host.id,
    resource_id: host.resourceId,
    worker_group_id: host.groupId,
    worker_pool_id: host.poolId,
    status: host.status,
    claim_version: host.claimVersion,
    created_at: time(host.createdAt),
    updated_at: time(host.updatedAt),
    drain_blockers: drainBlockers(host),
    ...(host.epoch === undefined ? {} : { current_epoch: host.epoch }),
    ...timeOf("draining_at", host.drainingAt),
    ...(host.drainReason === undefined ? {} : { drain_reason: host.drainReason }),
    ...timeOf("termination_ready_at", host.terminationReadyAt),
    ...timeOf("lost_at", host.lostAt),
  };
}

/** A receipt. Its identities' names are not published; a peer that tells none of them is legal too (helmr-notes 2.4). */
export function receiptShape(region: Region, receipt: Receipt) {
  const phase = phaseOf(region, receipt);
  if (region.settings.receiptFields === "key-and-phase") return { operation_key: receipt.operationKey, phase };
  return {
    operation_key: receipt.operationKey,
    phase,
    worker_group_id: receipt.groupId,
    worker_pool_id: receipt.poolId,
    worker_host_id: receipt.hostId,
    resource_id: receipt.resourceId,
    epoch: receipt.epoch,
    claim_version: receipt.claimVersion,
    created_at: time(receipt.createdAt),
  };
}

export function keyedReceipt(region: Region, settings: Settings, receipt: Receipt) {
  const shape = receiptShape(region, receipt);
  return settings.wrapKeyedReceipt ? { operation: shape } : shape;
}

export function policyShape(pool: Pool) {
  const { revision, optional, local_headroom_slots } = pool.policy;
  return { worker_pool_id: pool.id, revision, optional, local_headroom_slots };
}

/** At most 100; `complete: false` says that there are more (contract, Select a primary pool). */
function profiles(group: Group, all: readonly Profile[]) {
  const active = activePools(group);
  return {
    profiles: all.slice(0, profileLimit).map((profile) => ({
      profile: profile.name,
      live_instances: profile.liveInstances,
      creating_checkpoints: profile.creatingCheckpoints,
      parked_checkpoints: profile.parkedCheckpoints,
      eligible_pools: active.filter((pool) => pool.template?.platform === profile.platform).length,
    })),
    complete: all.length <= profileLimit,
  };
}
