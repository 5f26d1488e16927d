import { touchSupply } from "./fingerprint.ts";
import { addRow, drainBlockers, isLive, liveRow, setStatus } from "./host-rows.ts";
import { followDrain } from "./receipts.ts";
import { conflict, notFound } from "./refusal.ts";
import { groupOf, hostOf, poolOfHost, type Region } from "./region.ts";
import { sealPool } from "./seal.ts";
import { sameTemplate, type Template } from "./shape.ts";
import type { Host } from "./state.ts";

/**
 * A worker of this machine asks to belong to a pool: a new row in registering, or the live one that it already has. A
 * registering row that enrols again gets a new claim version (helmr-notes 2.1). Throws 404, and 409 for a retired name.
 */
export function enrol(region: Region, groupId: string, poolName: string, resourceId: string): Host {
  const group = groupOf(region, groupId);
  const pool = [...group.pools.values()].find((each) => each.name === poolName);
  if (pool === undefined) throw notFound("worker pool");
  const live = liveRow(region, groupId, resourceId);
  if (live !== undefined) {
    if (live.poolId !== pool.id) throw conflict("the resource has a live host in another pool");
    if (live.status === "registering") {
      live.claimVersion += 1;
      touchSupply(region, groupId);
    }
    return live;
  }
  if (pool.status !== "pending" && pool.status !== "active") throw conflict("the pool does not enrol hosts");
  const now = region.now();
  const host: Host = {
    id: region.newId(),
    resourceId,
    groupId,
    poolId: pool.id,
    status: "registering",
    claimVersion: 1,
    createdAt: now,
    updatedAt: now,
    resourcesUnknown: false,
    paused: false,
    leases: new Map(),
    sessionProcesses: 0,
  };
  addRow(region, host);
  return host;
}

/** A new worker process authenticates: the epoch rises; an active host is registering again, a draining one goes on draining. */
export function authenticate(region: Region, hostId: string): number {
  const host = hostOf(region, hostId);
  if (!isLive(host)) throw conflict("the host's secret is revoked");
  host.epoch = (host.epoch ?? 0) + 1;
  host.observedAt = region.now();
  host.updatedAt = region.now();
  touchSupply(region, host.groupId);
  region.emit({ type: "epoch", hostId, resourceId: host.resourceId, epoch: host.epoch });
  if (host.status === "active") setStatus(region, host, "registering", "worker restarted");
  else if (host.status === "draining") followDrain(region, host);
  return host.epoch;
}

/** Registering to active. The first host seals a pending pool; one that differs from the seal stays registering: 409. */
export function activate(region: Region, hostId: string, epoch: number, template: Template): void {
  const host = current(region, hostId, epoch);
  if (host.status !== "registering") throw conflict("the host is not registering");
  const pool = poolOfHost(region, host);
  if (pool.template === undefined) sealPool(region, pool, template);
  else if (!sameTemplate(pool.template, template)) throw conflict("the host differs from the pool's sealed template");
  if (pool.status !== "active") throw conflict("the pool is not active");
  host.template = template;
  host.observedAt = region.now();
  setStatus(region, host, "active", "activated");
}

/** The worker's report, every 30 s. The answer tells it whether it has to drain. */
export function observe(region: Region, hostId: string, epoch: number): { draining: boolean; claimVersion: number } {
  const host = current(region, hostId, epoch);
  host.observedAt = region.now();
  return { draining: host.status === "draining", claimVersion: host.claimVersion };
}

/** The machine is going down by itself and its worker says so: a drain with the reason `shutdown` (helmr-notes 2.2). */
export function beginShutdown(region: Region, hostId: string, epoch: number): void {
  const host = current(region, hostId, epoch);
  if (host.status === "draining") return;
  if (host.status !== "active") throw conflict("the host is not active");
  commitDrain(region, host, epoch, "shutdown");
}

/** Active to draining: the first reason, epoch and time are kept whatever is asked later. */
export function commitDrain(region: Region, host: Host, epoch: number, reason: string): void {
  host.drainFence = { epoch, before: host.claimVersion };
  host.claimVersion += 1;
  host.drainingAt = region.now();
  host.drainReason = reason;
  setStatus(region, host, "draining", reason);
}

/** The worker found itself empty: the only way to termination_ready, no timer leads there (helmr-notes 5). */
export function completeDrain(region: Region, hostId: string, epoch: number, claimVersion: number): void {
  const host = current(region, hostId, epoch);
  if (host.status !== "draining" || host.claimVersion !== claimVersion) throw conflict("the drain claim is stale");
  const blockers = drainBlockers(host);
  if (blockers.unreclaimed_instances + blockers.unreconciled_session_processes > 0) {
    throw conflict("the host still holds instances or session processes");
  }
  host.claimVersion += 1;
  host.terminationReadyAt = region.now();
  setStatus(region, host, "termination_ready", "drained");
  followDrain(region, host);
}

/** Throws 409 when another process of this host has authenticated since, or its secret is revoked. */
function current(region: Region, hostId: string, epoch: number): Host {
  const host = hostOf(region, hostId);
  if (!isLive(host) || host.epoch !== epoch) throw conflict("the host's epoch is not current");
  return host;
}
