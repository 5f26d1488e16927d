import { touchSupply } from "./fingerprint.ts";
import { groupOf, type Region } from "./region.ts";
import type { Host, HostState } from "./state.ts";

const liveStates: readonly HostState[] = ["registering", "active", "draining"];

export function isLive(host: Host): boolean {
  return liveStates.includes(host.status);
}

/** A resource's live row; there is at most one (helmr-notes 2.1). */
export function liveRow(region: Region, groupId: string, resourceId: string): Host | undefined {
  return groupOf(region, groupId).rows.get(resourceId)?.find(isLive);
}

export function addRow(region: Region, host: Host): void {
  const group = groupOf(region, host.groupId);
  const rows = group.rows.get(host.resourceId) ?? [];
  rows.push(host);
  group.rows.set(host.resourceId, rows);
  group.pools.get(host.poolId)?.hosts.add(host);
  region.hosts.set(host.id, host);
  moved(region, host, undefined, "enrolled");
}

/** Commits a status; the claim version is the caller's to raise. */
export function setStatus(region: Region, host: Host, to: HostState, reason: string): void {
  const from = host.status;
  host.status = to;
  host.updatedAt = region.now();
  moved(region, host, from, reason);
}

function moved(region: Region, host: Host, from: HostState | undefined, reason: string): void {
  touchSupply(region, host.groupId);
  const { id: hostId, resourceId, status: to } = host;
  region.emit({ type: "host", hostId, resourceId, ...(from === undefined ? {} : { from }), to, reason });
}

/** Active and observed within two minutes: only such hosts are supply, or ready for a primary pool (helmr-notes 3). */
export function isFresh(region: Region, host: Host): boolean {
  return host.observedAt !== undefined && region.now() - host.observedAt <= region.settings.staleHostMs;
}

/** The rows of a group by status; ended rows never count as supply. */
export function countRows(hosts: Iterable<Host>, status: HostState): number {
  let count = 0;
  for (const host of hosts) if (host.status === status) count += 1;
  return count;
}

/** Unfenced VMs and unreconciled processes; zero is still no permission to terminate (contract, inventory). */
export function drainBlockers(host: Host) {
  return { unreclaimed_instances: host.leases.size, unreconciled_session_processes: host.sessionProcesses };
}
