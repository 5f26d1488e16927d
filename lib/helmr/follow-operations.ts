import { ControlPlaneError } from "./control-plane.ts";
import type { DecisionInput } from "./decision.ts";
import type { DrainOperation } from "./drain-operation.ts";
import { identify } from "./identify.ts";
import type { Observation } from "./observation.ts";
import type { HelmrParts } from "./parts.ts";
import type { ScaleInReceipt } from "./protocol.ts";
import type { Outlook } from "./session.ts";

/**
 * Brings the open operations up to what Helmr says of them. The pending receipt is read in every cycle, and so before
 * every new operation and after every start (invariant 4); one that our ledger does not know is followed as our own,
 * because a lost answer permits no second one (invariant 5).
 */
export async function followOperations(
  parts: Pick<HelmrParts, "logger">,
  session: Outlook,
  observation: Observation,
): Promise<Pick<DecisionInput, "operations" | "pending">> {
  const { controlPlane, open } = session;
  const { workerGroup } = observation;
  const pending = await controlPlane.pendingScaleIn(workerGroup.id);
  if (pending !== undefined && open.find(pending.operation_key) === undefined) {
    await adopt(parts, session, pending, observation);
  }
  const operations: { operation: DrainOperation; receipt: ScaleInReceipt | undefined }[] = [];
  for (const operation of open.all()) {
    if (operation.detail.kind === "other") {
      operations.push({ operation, receipt: undefined });
      continue;
    }
    const receipt =
      pending?.operation_key === operation.key ? pending : await keyed(session, workerGroup.id, operation.key);
    operations.push({ operation: await taken(session, operation, receipt, observation), receipt });
  }
  return { operations, pending };
}

async function adopt(
  parts: Pick<HelmrParts, "logger">,
  { open }: Outlook,
  receipt: ScaleInReceipt,
  observation: Observation,
): Promise<void> {
  const { worker_pool_id: poolId, resource_id: instance } = receipt;
  const row = [...observation.hostOf.values(), ...observation.rows].find(
    ({ id, resource_id: resource }) => id === receipt.worker_host_id || resource === instance,
  );
  const supplied = observation.pools.find(({ pool }) => pool.id === (poolId ?? row?.worker_pool_id));
  parts.logger.log("warn", "operation adopted", { key: receipt.operation_key, phase: receipt.phase, instance });
  if (supplied === undefined) return;
  await open.begin(receipt.operation_key, "draining", {
    kind: "scale_in",
    group: supplied.fleet.group,
    groupId: observation.workerGroup.id,
    poolId: supplied.pool.id,
    decrement: true,
    attempts: 0,
  });
}

/** What the receipt says of host, epoch and claim, as long as it is about the same host. */
async function taken(
  { open }: Outlook,
  operation: DrainOperation,
  receipt: ScaleInReceipt | undefined,
  observation: Observation,
): Promise<DrainOperation> {
  const { phase, detail, key } = operation;
  if (receipt === undefined || (phase !== "intended" && phase !== "draining")) return operation;
  const found =
    detail.hostId !== undefined && receipt.epoch === undefined ? undefined : identify(operation, receipt, observation);
  const isOther = detail.hostId !== undefined && found !== undefined && found.hostId !== detail.hostId;
  const news = found === undefined || isOther ? {} : found;
  const isNews = Object.entries(news).some(([field, value]) => detail[field as keyof typeof news] !== value);
  if (phase === "draining" && !isNews) return operation;
  return open.advance(key, { phase: "draining", detail: news });
}

async function keyed({ controlPlane }: Outlook, groupId: string, key: string): Promise<ScaleInReceipt | undefined> {
  try {
    return await controlPlane.scaleInReceipt(groupId, key);
  } catch (error) {
    if (error instanceof ControlPlaneError && error.status === 404) return undefined;
    throw error;
  }
}
