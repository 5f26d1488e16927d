import { fits, type Room, roomOf, type Shape, type Template, take } from "./shape.ts";

/** A pool as items are packed: the room of its fresh hosts, and how many more hosts its provider has. */
export interface PackPool {
  readonly id: string;
  readonly template: Template;
  /** Changed by packing. */
  readonly rooms: Room[];
  readonly maxNewHosts: number;
  readonly requested: boolean;
}

export interface PackItem extends Shape {
  readonly id: string;
  readonly kind: "fresh" | "restore" | "build";
  readonly platform?: string;
  readonly poolId?: string;
  readonly unsupported?: boolean;
}

export interface PoolPacking {
  newHosts: number;
  placed: number;
  saturated: boolean;
  restores: number;
}

export interface Packing {
  readonly pools: ReadonlyMap<string, PoolPacking>;
  /** Why each item that found no place did not. */
  readonly unmatched: ReadonlyMap<string, string>;
}

interface OpenPool extends PackPool {
  /** Existing hosts first, then the new ones. */
  readonly bins: Room[];
  /** For each shape, the bins before this index are known to be too full: bins only fill. */
  readonly from: Map<string, number>;
  readonly packing: PoolPacking;
}

/**
 * Packs items largest first (helmr-notes 3): into what exists, then into new hosts of the pool's own template up to what
 * the provider has. Fresh work goes to the primary pool only, a restore to any pool of its platform. Pools by id.
 */
export function pack(items: readonly PackItem[], pools: readonly PackPool[], primaryId: string | undefined): Packing {
  const open = new Map<string, OpenPool>();
  for (const pool of pools) {
    const packing = { newHosts: 0, placed: 0, saturated: false, restores: 0 };
    open.set(pool.id, { ...pool, bins: [...pool.rooms], from: new Map(), packing });
  }
  const unmatched = new Map<string, string>();
  for (const item of [...items].sort(largestFirst)) {
    const reason = place(item, candidates(item, open, primaryId));
    if (reason !== undefined) unmatched.set(item.id, reason);
  }
  return { pools: new Map([...open].map(([id, { packing }]) => [id, packing])), unmatched };
}

/** CPU, memory, fresh before restore, disk, key. */
export function largestFirst(a: PackItem, b: PackItem): number {
  return (
    b.cpu_millis - a.cpu_millis ||
    b.memory_bytes - a.memory_bytes ||
    Number(a.kind === "restore") - Number(b.kind === "restore") ||
    b.disk_bytes - a.disk_bytes ||
    (a.id < b.id ? -1 : 1)
  );
}

/** The pools that an item may use, or why there is none. */
export function candidates<P extends PackPool>(
  item: PackItem,
  pools: ReadonlyMap<string, P>,
  primaryId: string | undefined,
): P[] | string {
  if (!(item.cpu_millis > 0 && item.memory_bytes > 0)) return "invalid_workload_requirements";
  if (item.unsupported === true) return "worker_does_not_support_run";
  let usable: P[];
  if (item.kind === "restore") {
    const bound = item.poolId === undefined ? [...pools.values()] : [pools.get(item.poolId)].filter(isPresent);
    usable = bound.filter((pool) => item.platform === undefined || pool.template.platform === item.platform);
    if (usable.length === 0) return "runtime_compatibility";
  } else {
    const primary = primaryId === undefined ? undefined : pools.get(primaryId);
    if (primary === undefined) return "primary_pool_unavailable";
    usable = [primary];
  }
  const large = usable.filter((pool) => fits(roomOf(pool.template), item));
  if (large.length === 0) return "per_instance_resources";
  const requested = large.filter((pool) => pool.requested);
  return requested.length === 0 ? "provider_pool_unavailable" : requested;
}

function place(item: PackItem, pools: OpenPool[] | string): string | undefined {
  if (typeof pools === "string") return pools;
  const shape = `${item.cpu_millis}/${item.memory_bytes}/${item.disk_bytes}`;
  for (const pool of pools) {
    if (intoOpenBin(pool, item, shape)) return undefined;
  }
  for (const pool of pools) {
    if (pool.packing.newHosts >= pool.maxNewHosts) {
      pool.packing.saturated = true;
      continue;
    }
    pool.packing.newHosts += 1;
    pool.bins.push(roomOf(pool.template));
    intoOpenBin(pool, item, shape);
    return undefined;
  }
  return "provider_capacity_saturated";
}

function intoOpenBin(pool: OpenPool, item: PackItem, shape: string): boolean {
  let index = pool.from.get(shape) ?? 0;
  for (let bin = pool.bins[index]; bin !== undefined; index += 1, bin = pool.bins[index]) {
    if (!fits(bin, item)) continue;
    take(bin, item);
    pool.packing.placed += 1;
    if (item.kind === "restore") pool.packing.restores += 1;
    pool.from.set(shape, index);
    return true;
  }
  pool.from.set(shape, index);
  return false;
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}
