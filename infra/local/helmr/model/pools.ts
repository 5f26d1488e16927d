import { touchSupply } from "./fingerprint.ts";
import { isFresh, isLive } from "./host-rows.ts";
import { badRequest, conflict, Refusal } from "./refusal.ts";
import { groupOf, poolOf, type Region } from "./region.ts";
import { makePrimary } from "./seal.ts";
import { type Group, type Host, optionalFields, type Policy, type Pool } from "./state.ts";

const zeroPolicy: Policy = {
  revision: 1,
  optional: Object.fromEntries(optionalFields.map((field) => [field, 0])) as Policy["optional"],
  local_headroom_slots: 0,
};

/** A pending pool under the group's claim. A name is used once for ever, a disabled one too: 409 (contract, last section). */
export function createPool(region: Region, groupId: string, name: string, expectedClaim: number): Pool {
  const group = groupOf(region, groupId);
  if (group.claimVersion !== expectedClaim) throw conflict("the group claim is stale");
  if (group.status !== "active" && group.status !== "paused") throw conflict("the group takes no pools");
  for (const pool of group.pools.values()) if (pool.name === name) throw conflict("the pool name is in use");
  group.claimVersion += 1;
  return addPool(region, group, name);
}

export function addPool(region: Region, group: Group, name: string): Pool {
  const pool: Pool = {
    id: region.newId(),
    groupId: group.id,
    name,
    status: "pending",
    claimVersion: 1,
    policy: zeroPolicy,
    hosts: new Set(),
  };
  group.pools.set(pool.id, pool);
  poolChanged(region, pool);
  return pool;
}

/** Retires a pool for good. Refused while it is primary, referenced, inhabited, in custody, or a restore's last supplier. */
export function disablePool(region: Region, groupId: string, poolId: string, expectedClaim: number): Pool {
  const pool = poolOf(region, groupId, poolId);
  const group = groupOf(region, groupId);
  if (pool.claimVersion !== expectedClaim) throw conflict("the pool claim is stale");
  if (pool.status === "disabled") throw conflict("the pool is disabled already");
  if (group.primaryPoolId === pool.id) throw conflict("the pool is the group's primary");
  for (const host of pool.hosts) {
    if (isLive(host)) throw conflict("the pool has live hosts");
    if (host.leases.size > 0 || host.sessionProcesses > 0) throw conflict("the pool has unreclaimed custody");
    if (host.status === "termination_ready" && host.absentAt === undefined) {
      throw conflict("a drained host is not confirmed absent");
    }
  }
  for (const item of group.queue.values()) if (item.poolId === pool.id) throw conflict("queued work needs the pool");
  if (isLastSupplier(group, pool)) throw conflict("the pool is the last that can restore a retained profile");
  pool.status = "disabled";
  pool.claimVersion += 1;
  poolChanged(region, pool);
  return pool;
}

/** Makes a sealed, active pool primary. The present primary is an exact replay and says nothing about its fleet. */
export function setPrimaryPool(
  region: Region,
  groupId: string,
  request: { expected_group_claim_version: number; minimum_ready_hosts: number; pool_id: string },
): { group: Group; applied: boolean } {
  const group = groupOf(region, groupId);
  const pool = poolOf(region, groupId, request.pool_id);
  const { expected_group_claim_version: claim, minimum_ready_hosts: minimum } = request;
  if (claim > group.claimVersion) throw conflict("the group claim is of the future");
  if (group.primaryPoolId === pool.id) return { group, applied: false };
  if (claim !== group.claimVersion) throw conflict("the group claim is stale");
  if (group.status !== "active" && group.status !== "paused") throw conflict("the group is not active");
  if (pool.status !== "active" || pool.sealedAt === undefined) throw conflict("the pool is not active and sealed");
  let ready = 0;
  for (const host of pool.hosts) if (isReady(region, host)) ready += 1;
  if (ready < minimum) throw new Refusal(409, "too few ready hosts", "insufficient_ready_hosts");
  makePrimary(region, group, pool);
  return { group, applied: true };
}

/** Replaces the whole policy under its revision: desired policy, not proof that workers reclaimed (contract). */
export function replacePolicy(
  region: Region,
  pool: Pool,
  expectedRevision: number,
  next: Omit<Policy, "revision">,
): void {
  if (pool.policy.revision !== expectedRevision) throw conflict("the policy revision is stale");
  pool.policy = { ...next, revision: expectedRevision + 1 };
  region.emit({ type: "policy", poolId: pool.id, revision: pool.policy.revision });
}

/** Names are opaque, but canonical: no blanks around, no control characters, at most 128 bytes. Throws 400. */
export function assertPoolName(name: string): void {
  const plain = name.trim() === name && name !== "" && Buffer.byteLength(name) <= 128;
  if (!plain || [...name].some((character) => character < " " || character === "\u007f")) {
    throw badRequest("the pool name is not canonical");
  }
}

function isReady(region: Region, host: Host): boolean {
  return host.status === "active" && !host.paused && isFresh(region, host);
}

function isLastSupplier(group: Group, pool: Pool): boolean {
  if (pool.template === undefined) return false;
  const { platform } = pool.template;
  const others = [...group.pools.values()].some(
    (each) => each !== pool && each.status === "active" && each.template?.platform === platform,
  );
  if (others) return false;
  const waiting = [...group.queue.values()].some((item) => item.kind === "restore" && item.platform === platform);
  return waiting || group.profiles.some((profile) => profile.platform === platform);
}

function poolChanged(region: Region, pool: Pool): void {
  touchSupply(region, pool.groupId);
  region.emit({ type: "pool", groupId: pool.groupId, poolId: pool.id, status: pool.status });
}
