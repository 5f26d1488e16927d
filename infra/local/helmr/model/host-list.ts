import { isLive } from "./host-rows.ts";
import { badRequest } from "./refusal.ts";
import type { Region } from "./region.ts";
import type { Host, HostState } from "./state.ts";

export interface HostQuery {
  readonly groupId?: string;
  readonly resourceIds?: readonly string[];
  readonly statuses?: readonly HostState[];
  readonly unreclaimed: boolean;
  readonly limit: number;
}

/**
 * The inventory (helmr-notes 1.1): one row for each group and resource, a live one before ended ones, then the newest,
 * then by id. The status filter works after that choice, the others before it. By group, then resource; cut at the limit
 * without any sign of it.
 */
export function listHosts(region: Region, query: HostQuery): Host[] {
  const chosen: Host[] = [];
  for (const group of region.groups.values()) {
    if (query.groupId !== undefined && group.id !== query.groupId) continue;
    if (query.resourceIds === undefined) {
      for (const rows of group.rows.values()) choose(rows, query, chosen);
    } else {
      for (const id of query.resourceIds) choose(group.rows.get(id) ?? [], query, chosen);
    }
  }
  chosen.sort(byGroupAndResource);
  return chosen.slice(0, query.limit);
}

export function parseLimit(text: string | undefined): number {
  if (text === undefined) return 200;
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > 500) throw badRequest("limit is not within 1 and 500");
  return Number(text);
}

function choose(rows: readonly Host[], query: HostQuery, chosen: Host[]): void {
  let best: Host | undefined;
  for (const row of rows) {
    if (query.unreclaimed && row.leases.size === 0) continue;
    if (best === undefined || precedes(row, best)) best = row;
  }
  if (best === undefined) return;
  if (query.statuses === undefined || query.statuses.includes(best.status)) chosen.push(best);
}

function precedes(a: Host, b: Host): boolean {
  const live = Number(isLive(a)) - Number(isLive(b));
  if (live !== 0) return live > 0;
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt;
}

function byGroupAndResource(a: Host, b: Host): number {
  if (a.groupId !== b.groupId) return a.groupId < b.groupId ? -1 : 1;
  return a.resourceId < b.resourceId ? -1 : a.resourceId > b.resourceId ? 1 : 0;
}
