import type { ScaleInReceipt } from "../../../lib/helmr/protocol.ts";
import { done, type Outcome } from "../../cli/outcome.ts";
import type { Reach } from "../reach.ts";

/** The Worker group's outstanding scale-in operation, or the receipt of one key. */
export async function showOperations(reach: Reach, key: string | undefined): Promise<Outcome> {
  const controlPlane = reach.controlPlane();
  const group = await controlPlane.resolveGroup(reach.regionId(), await reach.workerGroup());
  if (key !== undefined) {
    const receipt = await controlPlane.scaleInReceipt(group.id, key);
    return done(receiptLines(receipt), { receipt });
  }
  const pending = await controlPlane.pendingScaleIn(group.id);
  const lines = pending === undefined ? [`${group.name} has no unsettled scale-in operation.`] : receiptLines(pending);
  return done(lines, { pending: pending ?? null });
}

function receiptLines(receipt: ScaleInReceipt): string[] {
  const { operation_key, phase, resource_id, worker_host_id, worker_pool_id, epoch, claim_version } = receipt;
  const told = (value: string | number | undefined) => value ?? "not told";
  return [
    `operation ${operation_key} is ${phase}`,
    `  resource ${told(resource_id)}, host ${told(worker_host_id)}, pool ${told(worker_pool_id)}, epoch ${told(epoch)}, claim ${told(claim_version)}`,
    ...(phase === "blocked" ? ["  It needs reconciliation by a person; Drover holds and terminates nothing."] : []),
  ];
}
