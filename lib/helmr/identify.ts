import type { DrainDetail, DrainOperation } from "./drain-operation.ts";
import type { Observation } from "./observation.ts";
import type { ScaleInReceipt, WorkerHost } from "./protocol.ts";

type Identity = Pick<DrainDetail, "hostId" | "instance" | "epoch" | "claimVersion">;

/** Clocks of two machines may differ by so much. */
const skewMs = 60_000;

/**
 * Which host a receipt is about. What the receipt does not tell is read from the host; where it does not even name the
 * host, the one host of the pool that drains for idle scale-in since the operation began is the one, and two are none
 * (helmr-notes 2.4). Undefined while that is not certain.
 */
export function identify(
  operation: Pick<DrainOperation, "detail" | "startedAt">,
  receipt: ScaleInReceipt,
  observation: Pick<Observation, "rows" | "hostOf">,
): Identity | undefined {
  const rows = [...new Map([...observation.rows, ...observation.hostOf.values()].map((row) => [row.id, row])).values()];
  const named = rows.filter(
    (row) =>
      row.id === receipt.worker_host_id ||
      (receipt.worker_host_id === undefined && row.resource_id === receipt.resource_id),
  );
  const candidates = receipt.worker_host_id === undefined && receipt.resource_id === undefined ? fitting() : named;
  const [host] = candidates;
  if (host === undefined || candidates.length > 1) return undefined;
  if (receipt.resource_id !== undefined && receipt.resource_id !== host.resource_id) return undefined;
  const epoch = receipt.epoch ?? host.current_epoch;
  const claim = receipt.claim_version ?? drainClaim(host);
  if (epoch === undefined || claim === undefined) return undefined;
  return { hostId: host.id, instance: host.resource_id, epoch, claimVersion: claim };

  function fitting(): WorkerHost[] {
    return rows.filter(
      (row) =>
        row.worker_pool_id === operation.detail.poolId &&
        (row.status === "draining" || row.status === "termination_ready") &&
        row.drain_reason === "idle_scale_in" &&
        row.draining_at !== undefined &&
        Date.parse(row.draining_at) >= operation.startedAt - skewMs,
    );
  }
}

/** The claim version of the drain, as the host's own row tells it (helmr-notes 2.1). */
export function drainClaim({ status, claim_version: claim }: WorkerHost): number | undefined {
  if (status === "draining") return claim;
  return status === "termination_ready" ? claim - 1 : undefined;
}
