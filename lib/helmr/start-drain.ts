import type { Observed } from "./acts.ts";
import { type ControlPlaneError, ControlPlaneUnauthorized, isRefusal } from "./control-plane.ts";
import { surroundingsReasons } from "./drain-decision.ts";
import { identify } from "./identify.ts";
import type { Observation, ObservedPool } from "./observation.ts";
import type { HelmrParts } from "./parts.ts";
import { mayMutate, type Session } from "./session.ts";

export type DrainStart =
  | { readonly outcome: "draining"; readonly key: string }
  /** Helmr said no: nothing was selected. `queued_demand_present` is as normal as any (invariant 27). */
  | { readonly outcome: "refused"; readonly key: string; readonly code: string }
  | { readonly outcome: "unsafe"; readonly reasons: readonly string[] }
  | Observed;

/** Starts a drain in the pool, unless what is read just before speaks against it. */
export async function startDrain(
  parts: HelmrParts,
  session: Session,
  pool: ObservedPool,
  observation: Observation,
): Promise<DrainStart> {
  const { group } = pool;
  await mayMutate(parts, session);
  const facts = await parts.shrink.facts(group.name);
  const fresh = await parts.groups.named(group.name, { instances: true });
  const unsafe = fresh === undefined ? ["the group is gone"] : surroundingsReasons({ group: fresh }, facts);
  if (fresh !== undefined && fresh.desired <= fresh.min) unsafe.push("desired capacity is at MinSize");
  if (unsafe.length > 0) return { outcome: "unsafe", reasons: unsafe };
  return parts.acts.startDrain(parts, session, pool, observation);
}

/**
 * Asks Helmr to select a host of the pool and to drain it. The key is in the ledger before the question leaves, and the
 * same key is asked again after any doubt (invariants 6 and 7): an error that is no refusal leaves it `intended`.
 */
export async function askForDrain(
  parts: HelmrParts,
  session: Session,
  { fleet, pool: workerPool }: ObservedPool,
  observation: Observation,
): Promise<DrainStart> {
  const groupId = observation.workerGroup.id;
  const intended = session.open.all().find(({ phase }) => phase === "intended");
  if (intended !== undefined && intended.detail.poolId !== workerPool.id) {
    await session.open.advance(intended.key, { phase: "abandoned" });
  }
  const reusable = intended?.detail.poolId === workerPool.id ? intended : undefined;
  const operation =
    reusable ??
    (await session.open.begin(parts.newId(), "intended", {
      kind: "scale_in",
      group: fleet.group,
      groupId,
      poolId: workerPool.id,
      decrement: true,
      attempts: 0,
    }));
  const { key } = operation;
  session.hold.lasts(parts.settings.mutationTimeoutMs * 2);
  try {
    const receipt = await session.controlPlane.scaleIn(groupId, workerPool.id, key);
    const identity = identify(operation, receipt, observation);
    await session.open.advance(key, { phase: "draining", ...(identity === undefined ? {} : { detail: identity }) });
    return { outcome: "draining", key };
  } catch (error) {
    if (!isRefusal(error) || error instanceof ControlPlaneUnauthorized) throw error;
    return refused(parts, session, key, error);
  }
}

async function refused(
  parts: HelmrParts,
  session: Session,
  key: string,
  error: ControlPlaneError,
): Promise<DrainStart> {
  await session.memory.save({ scaleInRefusedAt: parts.clock.now() });
  await session.open.advance(key, { phase: "refused" });
  return { outcome: "refused", key, code: error.code };
}
