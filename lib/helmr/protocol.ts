/**
 * The capacity protocol's own shapes, under its own field names (helmr-capacity-v1). What the contract does not name is
 * not here. Times are RFC 3339 text. A field of an enum is `unknown` where the peer sent a value that we do not know: such
 * a value never permits anything (helmr-notes 9, invariant 39).
 */
export const groupStatuses = ["active", "paused", "draining", "disabled"] as const;
export const poolStatuses = ["pending", "active", "draining", "disabled"] as const;
export const hostStatuses = ["registering", "active", "draining", "termination_ready", "lost"] as const;
export const receiptPhases = ["draining", "termination_ready", "blocked", "completed"] as const;
export const drainReasons = ["idle_scale_in", "replacement", "capacity_reduction"] as const;

export type GroupStatus = (typeof groupStatuses)[number] | "unknown";
export type PoolStatus = (typeof poolStatuses)[number] | "unknown";
export type HostStatus = (typeof hostStatuses)[number] | "unknown";
export type ReceiptPhase = (typeof receiptPhases)[number] | "unknown";
/** What we may ask for. The stored reason may be another, `shutdown` among them. */
export type DrainReason = (typeof drainReasons)[number];

export interface RetainedProfiles {
  readonly profiles: readonly Readonly<Record<string, unknown>>[];
  /** False: more profiles exist, and a truncated list proves nothing about retirement. */
  readonly complete: boolean;
}

export interface WorkerGroup {
  readonly id: string;
  readonly name: string;
  readonly region_id: string;
  readonly status: GroupStatus;
  readonly claim_version: number;
  readonly primary_pool_id?: string;
  readonly retained_profiles?: RetainedProfiles;
  readonly supply_fingerprint: string;
}

export interface WorkerPool {
  readonly id: string;
  readonly worker_group_id: string;
  readonly name: string;
  readonly status: PoolStatus;
  readonly claim_version: number;
  /** Absent until the first host sealed the pool's template. */
  readonly sealed_at?: string;
  readonly retained_profiles?: RetainedProfiles;
}

/** For people to read: zero is no permission to terminate. The names are not published, so each may be missing. */
export interface DrainBlockers {
  readonly unreclaimed_instances?: number;
  readonly unreconciled_session_processes?: number;
}

export interface WorkerHost {
  readonly id: string;
  /** The bare EC2 instance id. */
  readonly resource_id: string;
  readonly worker_group_id: string;
  readonly worker_pool_id: string;
  readonly status: HostStatus;
  readonly claim_version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly drain_blockers: DrainBlockers;
  /** Absent before the first worker process authenticated. */
  readonly current_epoch?: number;
  readonly draining_at?: string;
  readonly drain_reason?: string;
  readonly termination_ready_at?: string;
  readonly lost_at?: string;
}

export interface PlanRequest {
  readonly expected_supply_fingerprint: string;
  /** Taken before the first read of the cycle (invariant 8). */
  readonly observed_at: string;
  readonly pools: readonly PlanRequestPool[];
}

export interface PlanRequestPool {
  readonly pool_id: string;
  /** 0 to 1,000 hosts beyond the active ones. */
  readonly max_additional_workers: number;
  readonly active_workers: number;
  readonly registering_workers: number;
}

export interface PoolPlan {
  readonly pool_id: string;
  readonly pool_name: string;
  readonly recommended_additional_workers: number;
  readonly compatible_queued_items: number;
  readonly registering_workers: number;
  readonly active_workers: number;
  readonly complete: boolean;
  readonly saturated: boolean;
  readonly scale_in_blocked: boolean;
  readonly policy_revision?: number;
  /** Hosts still giving up optional resources after a policy change. */
  readonly reclaiming_workers?: number;
}

export interface Plan {
  readonly worker_group_id: string;
  readonly worker_group_name: string;
  readonly region_id: string;
  readonly group_status: GroupStatus;
  readonly pools: readonly PoolPlan[];
  readonly unmatched_demand: readonly { readonly reason: string; readonly count: number }[];
  readonly complete: boolean;
  readonly computed_at: string;
}

export interface OptionalLimits {
  readonly cpu_millis: number;
  readonly memory_bytes: number;
  readonly disk_bytes: number;
  readonly vm_slots: number;
  readonly max_tasks: number;
  readonly io_bytes_per_second: number;
}

export interface ResourcePolicy {
  readonly revision: number;
  readonly optional: OptionalLimits;
  readonly local_headroom_slots: number;
}

/**
 * A scale-in operation's durable receipt. Apart from key and phase its names are not published, so each identity may be
 * missing; what is missing is read from the host, and proves nothing by itself.
 */
export interface ScaleInReceipt {
  readonly operation_key: string;
  readonly phase: ReceiptPhase;
  readonly worker_group_id?: string;
  readonly worker_pool_id?: string;
  readonly worker_host_id?: string;
  readonly resource_id?: string;
  readonly epoch?: number;
  readonly claim_version?: number;
}

export interface Deployment {
  readonly release: string;
  readonly source_commit?: string;
  readonly worker_revision: string | number;
  readonly applied_schema_version: number;
  readonly schema_dirty: boolean;
}
