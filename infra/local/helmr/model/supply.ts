import { isFresh } from "./host-rows.ts";
import type { PackPool } from "./packing.ts";
import type { Region } from "./region.ts";
import { type Room, roomOf, take } from "./shape.ts";
import type { Group, Host, Pool } from "./state.ts";

/** The active pools of a group in the order of their ids. */
export function activePools(group: Group): Pool[] {
  return [...group.pools.values()].filter((pool) => pool.status === "active").sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * A pool as the planner packs it. Real work reclaims optional resources, so only real work is charged (contract:
 * optional backlog and occupancy recommend no hosts).
 */
export function packPool(region: Region, pool: Pool, maxNewHosts: number, requested: boolean): PackPool | undefined {
  if (pool.template === undefined) return undefined;
  const rooms: Room[] = [];
  for (const host of pool.hosts) {
    const room = roomFor(region, host, false);
    if (room !== undefined && room.slots > 0) rooms.push(room);
  }
  return { id: pool.id, template: pool.template, rooms, maxNewHosts, requested };
}

/** What a host can still take, or undefined when it supplies nothing: not active, paused, or not observed of late. */
export function roomFor(region: Region, host: Host, chargeOptional: boolean): Room | undefined {
  if (host.status !== "active" || host.paused || host.template === undefined || !isFresh(region, host))
    return undefined;
  const room = roomOf(host.template);
  for (const lease of host.leases.values()) {
    if (lease.kind === "work" || chargeOptional) take(room, lease);
  }
  return room;
}
