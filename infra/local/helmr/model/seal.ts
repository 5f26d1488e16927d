import { touchSupply } from "./fingerprint.ts";
import { groupOf, type Region } from "./region.ts";
import type { Template } from "./shape.ts";
import type { Group, Pool } from "./state.ts";

/** The first active host seals a pending pool, and the first sealed pool of a group becomes primary (helmr-notes 2.5). */
export function sealPool(region: Region, pool: Pool, template: Template): void {
  pool.template = template;
  pool.sealedAt = region.now();
  if (pool.status === "pending") {
    pool.status = "active";
    pool.claimVersion += 1;
    touchSupply(region, pool.groupId);
    region.emit({ type: "pool", groupId: pool.groupId, poolId: pool.id, status: pool.status });
  }
  const group = groupOf(region, pool.groupId);
  if (group.primaryPoolId === undefined) makePrimary(region, group, pool);
}

export function makePrimary(region: Region, group: Group, pool: Pool): void {
  group.primaryPoolId = pool.id;
  group.claimVersion += 1;
  touchSupply(region, group.id);
  region.emit({ type: "primary", groupId: group.id, poolId: pool.id });
}
