import { freshHeadroom } from "./evidence.ts";
import { candidates, largestFirst, type PackItem, type PackPool, pack } from "./packing.ts";
import { Refusal } from "./refusal.ts";
import { groupOf, hostOf, type Region } from "./region.ts";
import { fits } from "./shape.ts";
import type { Group, Host, Lease, QueuedItem } from "./state.ts";
import { activePools, packPool, roomFor } from "./supply.ts";

/** Puts work into the group's queue whatever there is to run it: builds, restores, prepared tests. */
export function enqueue(region: Region, groupId: string, item: QueuedItem): void {
  groupOf(region, groupId).queue.set(item.id, item);
  region.emit({ type: "queued", groupId, itemId: item.id });
}

/**
 * Admits a new Turn: it must fit verified capacity, or fresh provider evidence. Throws execution_capacity_unavailable,
 * and then nothing waits: the caller submits again later (contract, Resolve and plan).
 */
export function admit(region: Region, groupId: string, item: QueuedItem): void {
  const group = groupOf(region, groupId);
  const headroom = freshHeadroom(region, groupId);
  const pools = packPools(region, group, (poolId) => headroom?.get(poolId) ?? 0);
  const waiting = [...group.queue.values()].filter((each) => each.outsidePlan !== true);
  const { unmatched } = pack([...waiting, item], pools, group.primaryPoolId);
  if (group.status !== "active" || unmatched.has(item.id)) {
    throw new Refusal(region.settings.evidenceStatus, "no capacity for the Turn", "execution_capacity_unavailable");
  }
  enqueue(region, groupId, item);
}

export function withdraw(region: Region, groupId: string, itemId: string): void {
  if (groupOf(region, groupId).queue.delete(itemId)) region.emit({ type: "unqueued", groupId, itemId });
}

/** Gives queued work to active hosts with room, largest first. Optional VMs in the way are given up. */
export function placeQueued(region: Region, groupId: string): { item: QueuedItem; host: Host; leaseId: string }[] {
  const group = groupOf(region, groupId);
  if (group.queue.size === 0 || (group.status !== "active" && group.status !== "draining")) return [];
  const pools = new Map(packPools(region, group, () => 0).map((pool) => [pool.id, pool]));
  const placed: { item: QueuedItem; host: Host; leaseId: string }[] = [];
  for (const item of [...group.queue.values()].sort(largestFirst)) {
    if (item.outsidePlan === true) continue;
    const host = hostFor(region, group, item, pools);
    if (host === undefined) continue;
    group.queue.delete(item.id);
    const leaseId = lease(region, host, { kind: "work", itemId: item.id, ...shapeOf(item) });
    const { id: hostId, resourceId } = host;
    region.emit({ type: "placed", groupId, itemId: item.id, hostId, resourceId, leaseId });
    placed.push({ item, host, leaseId });
  }
  return placed;
}

/** Charges a VM to a host. */
export function lease(region: Region, host: Host, wanted: Omit<Lease, "id">): string {
  const id = region.newId();
  if (wanted.kind === "work") makeRoom(region, host, wanted);
  host.leases.set(id, { ...wanted, id });
  return id;
}

export function release(region: Region, hostId: string, leaseId: string): void {
  if (hostOf(region, hostId).leases.delete(leaseId)) region.emit({ type: "released", hostId, leaseId });
}

function hostFor(region: Region, group: Group, item: PackItem, pools: Map<string, PackPool>): Host | undefined {
  const usable = candidates(item, pools, group.primaryPoolId);
  if (typeof usable === "string") return undefined;
  for (const { id } of usable) {
    for (const host of group.pools.get(id)?.hosts ?? []) {
      const room = roomFor(region, host, false);
      if (room !== undefined && fits(room, item)) return host;
    }
  }
  return undefined;
}

function makeRoom(region: Region, host: Host, wanted: Omit<Lease, "id">): void {
  for (const each of [...host.leases.values()]) {
    const room = roomFor(region, host, true);
    if (room === undefined || fits(room, wanted)) return;
    if (each.kind === "optional") release(region, host.id, each.id);
  }
}

function packPools(region: Region, group: Group, headroom: (poolId: string) => number): PackPool[] {
  return activePools(group).flatMap((pool) => packPool(region, pool, headroom(pool.id), true) ?? []);
}

function shapeOf({ cpu_millis, memory_bytes, disk_bytes }: PackItem) {
  return { cpu_millis, memory_bytes, disk_bytes };
}
