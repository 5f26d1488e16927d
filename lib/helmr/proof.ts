import type { Group } from "../capacity/group.ts";
import type { DrainDetail } from "./drain-operation.ts";
import type { ScaleInReceipt, WorkerHost } from "./protocol.ts";

/** What was read afresh to prove that one instance may end. */
export interface ProofReadings {
  readonly groupId: string;
  readonly poolId: string;
  /** The host by its id. */
  readonly host: WorkerHost;
  /** The row that the inventory gives for the instance: another one means that a new worker lives there. */
  readonly rowOfInstance: WorkerHost | undefined;
  /** Of the operation's own key; undefined where scale-in did not choose the host. */
  readonly receipt: ScaleInReceipt | undefined;
  readonly group: Group;
}

/**
 * What is missing from the proof that exactly this instance may end; empty when it is complete (invariants 1 and 2; design:
 * rule 3). Everything must match: receipt, host, pool, group, epoch, claim version and instance. Age proves nothing
 * (invariant 31), and a field that is missing proves nothing either.
 */
export function missingProof(key: string, detail: DrainDetail, readings: ProofReadings): string[] {
  const { host, rowOfInstance, receipt, group, groupId, poolId } = readings;
  const missing: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) missing.push(what);
  };
  must(detail.hostId !== undefined && host.id === detail.hostId, "the host is the operation's");
  must(host.status === "termination_ready", "the host is termination_ready");
  must(detail.instance !== undefined && host.resource_id === detail.instance, "the host's resource is the instance");
  must(rowOfInstance?.id === host.id, "the instance's row is this host");
  must(host.worker_group_id === groupId && detail.groupId === groupId, "the host's Worker group");
  must(host.worker_pool_id === poolId && detail.poolId === poolId, "the host's pool");
  must(group.name === detail.group && group.instances.some(({ id }) => id === detail.instance), "the instance's group");
  must(detail.epoch !== undefined && host.current_epoch === detail.epoch, "the epoch of the drain");
  must(isClaimOf(detail.claimVersion, host.claim_version), "the claim of the drain");
  if (detail.kind === "other") {
    must(receipt === undefined, "no receipt is concerned");
    return missing;
  }
  must(receipt?.operation_key === key, "the receipt of the operation's key");
  must(receipt?.phase === "termination_ready", "the receipt is termination_ready");
  if (receipt === undefined) return missing;
  const same = <T>(told: T | undefined, ours: T) => told === undefined || told === ours;
  must(same(receipt.worker_host_id, host.id), "the receipt's host");
  must(same(receipt.resource_id, host.resource_id), "the receipt's resource");
  must(same(receipt.worker_pool_id, poolId), "the receipt's pool");
  must(same(receipt.worker_group_id, groupId), "the receipt's Worker group");
  must(same(receipt.epoch, host.current_epoch ?? -1), "the receipt's epoch");
  must(
    receipt.claim_version === undefined || isClaimOf(receipt.claim_version, host.claim_version),
    "the receipt's claim",
  );
  return missing;
}

/** A drain raises the claim version and termination_ready raises it once more (helmr-notes 2.1): nothing else came between. */
function isClaimOf(drained: number | undefined, now: number): boolean {
  return drained !== undefined && (now === drained || now === drained + 1);
}
