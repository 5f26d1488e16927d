import { drainReasons } from "../../../../lib/helmr/protocol.ts";
import { badRequest, conflict, Refusal } from "./refusal.ts";
import { groupOf, hostOf, poolOfHost, type Region } from "./region.ts";
import type { Host } from "./state.ts";
import { commitDrain } from "./worker-life.ts";

export interface DrainRequest {
  readonly expected_epoch: number;
  readonly expected_claim_version: number;
  readonly reason: string;
}

/**
 * Starts the drain of exactly the host ownership that the caller saw (contract, Drain before termination). A replay on a
 * draining host takes the old or the new claim version, keeps the first reason and returns the same row (helmr-notes 2.2).
 */
export function drain(region: Region, hostId: string, request: DrainRequest): Host {
  if (!(drainReasons as readonly string[]).includes(request.reason)) throw badRequest("unknown drain reason");
  const host = hostOf(region, hostId);
  if (host.status === "draining" && isReplay(host, request)) return host;
  if (host.status !== "active") throw conflict("the host is not active");
  if (host.epoch !== request.expected_epoch || host.claimVersion !== request.expected_claim_version) {
    throw conflict("the drain fence is stale");
  }
  assertDrainable(region, host);
  if (request.reason === "idle_scale_in") refuseWhileQueued(region, host.groupId);
  commitDrain(region, host, request.expected_epoch, request.reason);
  return host;
}

/** Throws 409 where group or pool do not let hosts drain. */
export function assertDrainable(region: Region, host: Host): void {
  const pool = poolOfHost(region, host);
  if (pool.status !== "active" && pool.status !== "draining") throw conflict("the pool is not active");
  if (groupOf(region, host.groupId).status === "disabled") throw conflict("the group is disabled");
}

/** Queued work anywhere in the region, quota or not, refuses an idle scale-in (helmr-notes 3). Throws queued_demand_present. */
export function refuseWhileQueued(region: Region, groupId: string): void {
  const { regionId } = groupOf(region, groupId);
  for (const group of region.groups.values()) {
    if (group.regionId === regionId && group.queue.size > 0) {
      throw new Refusal(409, "queued demand is present", "queued_demand_present");
    }
  }
}

function isReplay(host: Host, request: DrainRequest): boolean {
  const { drainFence, epoch, claimVersion } = host;
  if (drainFence === undefined) return false;
  const claims = [drainFence.before, claimVersion];
  const epochs = [drainFence.epoch, epoch];
  return epochs.includes(request.expected_epoch) && claims.includes(request.expected_claim_version);
}
