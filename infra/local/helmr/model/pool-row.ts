import { countRows, isFresh } from "./host-rows.ts";
import type { PoolPacking } from "./packing.ts";
import type { Region } from "./region.ts";
import { type Room, roomOf } from "./shape.ts";
import { type Group, type Host, type OptionalField, optionalFields, type Pool } from "./state.ts";
import { roomFor } from "./supply.ts";

/** One pool of a plan. The names inside placements, occupancy and credited_hosts are not published. */
export function poolRow(
  region: Region,
  group: Group,
  pool: Pool,
  packed: PoolPacking | undefined,
  suppressed: boolean,
) {
  const active = [...pool.hosts].filter((host) => host.status === "active");
  const unobserved = active.some((host) => host.resourcesUnknown || !isFresh(region, host));
  const credited = active.filter((host) => roomFor(region, host, false) !== undefined);
  const silent = suppressed || group.status !== "active";
  return {
    pool_id: pool.id,
    pool_name: pool.name,
    recommended_additional_workers: silent ? 0 : (packed?.newHosts ?? 0),
    compatible_queued_items: packed?.placed ?? 0,
    registering_workers: countRows(pool.hosts, "registering"),
    active_workers: active.length,
    saturated: packed?.saturated ?? false,
    scale_in_blocked: (packed?.restores ?? 0) > 0 || holdsWork(region, pool),
    policy_revision: pool.policy.revision,
    placements: {
      immediate: unobserved ? null : slots(region, credited, true),
      after_optional_reclaim: slots(region, credited, false),
    },
    optional_occupancy: unobserved ? null : occupancy(active),
    reclaiming_workers: active.filter((host) => isReclaiming(pool, host)).length,
    local_headroom_slots_in_use: Math.min(pool.policy.local_headroom_slots * active.length, optionalVms(active)),
    credited_hosts: credited.map((host) => ({ worker_host_id: host.id, epoch: host.epoch })),
  };
}

/** Any unfenced lease on any row blocks, a lost one's too: it stays charged until its absence is confirmed. */
function holdsWork(region: Region, pool: Pool): boolean {
  for (const host of pool.hosts) {
    for (const lease of host.leases.values()) {
      if (lease.kind === "work" || region.settings.optionalBlocksScaleIn) return true;
    }
  }
  return false;
}

/** Complete VM shapes before queued work is packed: whole slots, as the template divides the host. */
function slots(region: Region, hosts: readonly Host[], chargeOptional: boolean): number {
  let sum = 0;
  for (const host of hosts) sum += wholeSlots(host, roomFor(region, host, chargeOptional));
  return sum;
}

function wholeSlots(host: Host, room: Room | undefined): number {
  if (room === undefined || host.template === undefined || room.slots <= 0) return 0;
  const whole = roomOf(host.template);
  const share = (free: number, all: number) => (all > 0 ? Math.floor((free * whole.slots) / all) : room.slots);
  return Math.max(0, Math.min(room.slots, share(room.cpu, whole.cpu), share(room.memory, whole.memory)));
}

/** A worker over its optional ceilings is still giving up what a policy change took away. */
export function isReclaiming(pool: Pool, host: Host): boolean {
  const used = occupancy([host]);
  return used.vm_slots > pool.policy.optional.vm_slots || used.memory_bytes > pool.policy.optional.memory_bytes;
}

function optionalVms(hosts: readonly Host[]): number {
  return occupancy(hosts).vm_slots;
}

function occupancy(hosts: readonly Host[]): Record<OptionalField, number> {
  const sum = Object.fromEntries(optionalFields.map((field) => [field, 0])) as Record<OptionalField, number>;
  for (const host of hosts) {
    for (const lease of host.leases.values()) {
      if (lease.kind !== "optional") continue;
      sum.cpu_millis += lease.cpu_millis;
      sum.memory_bytes += lease.memory_bytes;
      sum.disk_bytes += lease.disk_bytes;
      sum.vm_slots += 1;
    }
  }
  return sum;
}
