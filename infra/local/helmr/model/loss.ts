import { isLive, setStatus } from "./host-rows.ts";
import { followDrain, settleReceipt } from "./receipts.ts";
import { conflict } from "./refusal.ts";
import { hostOf, type Region } from "./region.ts";
import type { Host } from "./state.ts";

/**
 * Confirms the provider's absence (contract: POST .../lost). Repeating it changes nothing. For a termination_ready host
 * both answers of helmr-notes 2.3 can be had; its receipt completes in both.
 */
export function confirmLost(region: Region, hostId: string): Host {
  const host = hostOf(region, hostId);
  const ready = host.status === "termination_ready";
  if (host.absentAt === undefined) {
    host.absentAt = region.now();
    region.emit({ type: "absence-confirmed", hostId, resourceId: host.resourceId });
  }
  if (!ready || region.settings.lostFromReady === "accepted") markLost(region, host, "provider absence");
  fenceLeases(region, host);
  settleReceipt(region, host);
  if (ready && region.settings.lostFromReady === "conflict") throw conflict("the host is termination_ready");
  return host;
}

/**
 * The fencer: a host that was silent for two minutes, or a registering one for fifteen, is lost. That is logical: the
 * machine may still run, so its leases stay charged until its absence is confirmed (helmr-notes 2.3 and 5).
 */
export function fenceSilent(region: Region): number {
  const { silentHostMs, silentRegistrationMs } = region.settings;
  const now = region.now();
  let fenced = 0;
  for (const group of region.groups.values()) {
    for (const pool of group.pools.values()) {
      for (const host of pool.hosts) {
        if (!isLive(host)) continue;
        const limit = host.status === "registering" ? silentRegistrationMs : silentHostMs;
        if (now - (host.observedAt ?? host.createdAt) <= limit) continue;
        markLost(region, host, "silent");
        followDrain(region, host);
        fenced += 1;
        if (fenced === fenceBatch) return fenced;
      }
    }
  }
  return fenced;
}

const fenceBatch = 100;

function markLost(region: Region, host: Host, reason: string): void {
  if (host.status === "lost") return;
  host.claimVersion += 1;
  host.lostAt = region.now();
  setStatus(region, host, "lost", reason);
}

function fenceLeases(region: Region, host: Host): void {
  host.sessionProcesses = 0;
  for (const lease of host.leases.values()) {
    host.leases.delete(lease.id);
    const item = lease.itemId === undefined ? {} : { itemId: lease.itemId };
    const { id: hostId, resourceId } = host;
    if (lease.kind === "work") region.emit({ type: "interrupted", hostId, resourceId, leaseId: lease.id, ...item });
    else region.emit({ type: "released", hostId, leaseId: lease.id });
  }
}
