import { notFound } from "./refusal.ts";
import type { Region } from "./region.ts";
import type { Host, Phase, Receipt } from "./state.ts";

/** The one operation of a group that is not settled; blocked counts as unsettled (helmr-notes 2.4). */
export function unsettled(region: Region, groupId: string): Receipt | undefined {
  for (const receipt of region.receipts.get(groupId)?.values() ?? []) {
    if (phaseOf(region, receipt) !== "completed") return receipt;
  }
  return undefined;
}

/** Throws 404 for a key that this group never saw. */
export function receiptOf(region: Region, groupId: string, key: string): Receipt {
  const receipt = region.receipts.get(groupId)?.get(key);
  if (receipt === undefined) throw notFound("scale-in operation");
  return receipt;
}

export function addReceipt(region: Region, receipt: Receipt): void {
  const ofGroup = region.receipts.get(receipt.groupId) ?? new Map<string, Receipt>();
  ofGroup.set(receipt.operationKey, receipt);
  region.receipts.set(receipt.groupId, ofGroup);
  tell(region, receipt);
}

/** Completion can come later than the confirmed absence that it follows. */
export function phaseOf(region: Region, receipt: Receipt): Phase {
  if (receipt.completesAt !== undefined && receipt.completesAt <= region.now()) setPhase(region, receipt, "completed");
  return receipt.phase;
}

/** A receipt follows its host: ready when the same process acknowledged, blocked when the host was lost or began a new epoch. */
export function followDrain(region: Region, host: Host): void {
  const receipt = receiptOfHost(region, host);
  if (receipt === undefined || receipt.phase === "completed") return;
  if (host.status === "lost" || host.epoch !== receipt.epoch) {
    setPhase(region, receipt, "blocked");
  } else if (host.status === "termination_ready") {
    if (region.settings.receiptClaim === "current") receipt.claimVersion = host.claimVersion;
    setPhase(region, receipt, "termination_ready");
  }
}

/** The provider's absence is confirmed: whatever the phase was, the operation ends. */
export function settleReceipt(region: Region, host: Host): void {
  const receipt = receiptOfHost(region, host);
  if (receipt === undefined || receipt.phase === "completed" || receipt.completesAt !== undefined) return;
  receipt.completesAt = region.now() + region.settings.completionDelayMs;
  phaseOf(region, receipt);
}

/** An operator looked into a blocked drain and found it sound: the receipt takes the host's present epoch and claim. */
export function reconcileReceipt(region: Region, receipt: Receipt, host: Host): void {
  if (receipt.phase !== "blocked") return;
  receipt.epoch = host.epoch ?? receipt.epoch;
  if (host.status === "draining") setPhase(region, receipt, "draining");
  else if (host.status === "termination_ready") {
    if (region.settings.receiptClaim === "current") receipt.claimVersion = host.claimVersion;
    setPhase(region, receipt, "termination_ready");
  }
}

function receiptOfHost(region: Region, host: Host): Receipt | undefined {
  for (const receipt of region.receipts.get(host.groupId)?.values() ?? []) {
    if (receipt.hostId === host.id) return receipt;
  }
  return undefined;
}

function setPhase(region: Region, receipt: Receipt, phase: Phase): void {
  if (receipt.phase === phase) return;
  receipt.phase = phase;
  tell(region, receipt);
}

function tell(region: Region, receipt: Receipt): void {
  const { operationKey, groupId, poolId, resourceId, phase } = receipt;
  region.emit({ type: "receipt", operationKey, groupId, poolId, resourceId, phase });
}
