import type { DeclaredPolicy } from "../capacity/helmr-fleet.ts";
import { type ControlPlane, ControlPlaneError } from "./control-plane.ts";
import { policyReplacement, primarySelection } from "./policy-decision.ts";
import type { PoolPlan, WorkerGroup, WorkerPool } from "./protocol.ts";

export type PolicyOutcome =
  /** The pool's policy is as declared. `reclaimingWorkers` hosts still hold more than it grants, where the plan says. */
  | { readonly outcome: "as_declared"; readonly revision: number; readonly reclaimingWorkers?: number }
  /** The policy was replaced: it is desired now, which is no proof that any Worker has followed yet (the contract). */
  | { readonly outcome: "replaced"; readonly revision: number }
  /** Somebody else keeps replacing it; the next cycle looks again. */
  | { readonly outcome: "contended" };

export type PrimaryOutcome =
  | { readonly outcome: "is_primary" | "selected" }
  | { readonly outcome: "waiting"; readonly reason: "group_not_open" | "pool_not_sealed" | "insufficient_ready_hosts" }
  | { readonly outcome: "contended" };

const isConflict = (error: unknown) => error instanceof ControlPlaneError && error.status === 409;
/** A stale fence is read anew once; who loses twice leaves it to the next cycle. */
const tries = 2;

export interface DeclaredPolicies {
  /**
   * Makes the pool's policy what its group's tags declare. `inPlan` is the pool's row of this cycle's plan: while its
   * revision is the one last seen as declared, nothing is read again. Errors of the Control Plane come through.
   */
  settle(
    groupId: string,
    poolId: string,
    declared: DeclaredPolicy,
    inPlan: Pick<PoolPlan, "policy_revision" | "reclaiming_workers"> | undefined,
  ): Promise<PolicyOutcome>;
}

/** Remembers, for as long as the invocation lives, at which revision each pool was as declared. */
export function declaredPolicies(controlPlane: ControlPlane): DeclaredPolicies {
  const seen = new Map<string, { readonly revision: number; readonly declared: string }>();

  async function replaceOnce(groupId: string, poolId: string, declared: DeclaredPolicy): Promise<PolicyOutcome> {
    const current = await controlPlane.resourcePolicy(groupId, poolId);
    const replacement = policyReplacement(declared, current);
    if (replacement === undefined) return { outcome: "as_declared", revision: current.revision };
    try {
      const { revision } = await controlPlane.replaceResourcePolicy(groupId, poolId, replacement);
      return { outcome: "replaced", revision };
    } catch (error) {
      if (isConflict(error)) return { outcome: "contended" };
      throw error;
    }
  }

  return {
    async settle(groupId, poolId, declared, inPlan) {
      const known = seen.get(poolId);
      const text = JSON.stringify(declared);
      const { policy_revision: revision, reclaiming_workers: reclaiming } = inPlan ?? {};
      const shown = reclaiming === undefined ? {} : { reclaimingWorkers: reclaiming };
      if (known !== undefined && known.revision === revision && known.declared === text) {
        return { outcome: "as_declared", revision, ...shown };
      }
      let result: PolicyOutcome = { outcome: "contended" };
      for (let attempt = 0; attempt < tries && result.outcome === "contended"; attempt += 1) {
        result = await replaceOnce(groupId, poolId, declared);
      }
      if (result.outcome !== "contended") seen.set(poolId, { revision: result.revision, declared: text });
      return result.outcome === "as_declared" ? { ...result, ...shown } : result;
    },
  };
}

/**
 * Makes the pool its Worker group's primary, as its group's tag declares. `selected` and `contended` mean that the group
 * has changed: resolve it again before the next plan (the contract). Errors other than the fences' come through.
 */
export async function settlePrimary(
  controlPlane: ControlPlane,
  group: WorkerGroup,
  pool: WorkerPool,
  minimumReadyHosts: number,
): Promise<PrimaryOutcome> {
  let current: WorkerGroup = group;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const decision = primarySelection(current, pool, minimumReadyHosts);
    if (decision.select === undefined) {
      const { reason } = decision;
      return reason === "is_primary" ? { outcome: reason } : { outcome: "waiting", reason };
    }
    try {
      const { applied } = await controlPlane.setPrimaryPool(group.id, decision.select);
      return { outcome: applied ? "selected" : "is_primary" };
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (error instanceof ControlPlaneError && error.code === "insufficient_ready_hosts") {
        return { outcome: "waiting", reason: error.code };
      }
      current = await controlPlane.resolveGroup(group.region_id, group.name);
    }
  }
  return { outcome: "contended" };
}
