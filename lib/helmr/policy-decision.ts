import type { DeclaredPolicy } from "../capacity/helmr-fleet.ts";
import type { OptionalLimits, ResourcePolicy, WorkerGroup, WorkerPool } from "./protocol.ts";

export interface PolicyReplacement {
  readonly expected_revision: number;
  readonly optional: OptionalLimits;
  readonly local_headroom_slots: number;
}

/** The whole replacement that makes `current` what is declared, fenced by its revision; undefined when it is that already. */
export function policyReplacement(declared: DeclaredPolicy, current: ResourcePolicy): PolicyReplacement | undefined {
  const { local_headroom_slots, ...optional } = declared;
  const limits = Object.keys(optional) as (keyof OptionalLimits)[];
  const isSame =
    local_headroom_slots === current.local_headroom_slots &&
    limits.every((limit) => optional[limit] === current.optional[limit]);
  return isSame ? undefined : { expected_revision: current.revision, optional, local_headroom_slots };
}

export type PrimaryDecision =
  | { readonly select: { expected_group_claim_version: number; minimum_ready_hosts: number; pool_id: string } }
  | { readonly select?: undefined; readonly reason: "is_primary" | "group_not_open" | "pool_not_sealed" };

/**
 * Whether to select the pool as its group's primary, fenced by the group's claim version. Only an active, sealed pool of
 * an active or paused group can be selected (helmr-notes 1, row 10). Selecting the present primary again would prove
 * nothing about its health (the contract), so it is left alone.
 */
export function primarySelection(
  group: Pick<WorkerGroup, "status" | "claim_version" | "primary_pool_id">,
  pool: Pick<WorkerPool, "id" | "status" | "sealed_at">,
  minimumReadyHosts: number,
): PrimaryDecision {
  if (group.primary_pool_id === pool.id) return { reason: "is_primary" };
  if (group.status !== "active" && group.status !== "paused") return { reason: "group_not_open" };
  if (pool.status !== "active" || pool.sealed_at === undefined) return { reason: "pool_not_sealed" };
  return {
    select: {
      expected_group_claim_version: group.claim_version,
      minimum_ready_hosts: minimumReadyHosts,
      pool_id: pool.id,
    },
  };
}
