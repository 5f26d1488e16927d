import { supplyChanged } from "./evidence.ts";
import type { Region } from "./region.ts";
import { groupOf } from "./region.ts";
import type { Group } from "./state.ts";

/** Opaque to clients; another one after every change of inventory, pool lifecycle or primary pool (contract). */
export function fingerprintOf(group: Group): string {
  return `supply.${group.id.slice(-12)}.${group.supplyRevision.toString(36)}`;
}

/** Marks a committed change of what the fingerprint covers. */
export function touchSupply(region: Region, groupId: string): void {
  groupOf(region, groupId).supplyRevision += 1;
  supplyChanged(region, groupId);
}
