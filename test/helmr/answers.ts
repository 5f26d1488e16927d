/** Answers of a Control Plane as the contract shapes them, with one field of the future in each. */
export const ids = {
  group: "019876aa-0000-7000-8000-000000000001",
  pool: "019876aa-0000-7000-8000-000000000002",
  host: "019876aa-0000-7000-8000-000000000003",
  key: "019876aa-0000-7000-8000-000000000004",
} as const;

/** A token of the right form that opens nothing. */
export const testToken = Buffer.alloc(32, "test only").toString("base64url");

export const groupAnswer = {
  id: ids.group,
  name: "default",
  region_id: "aws-us-east-1",
  status: "active",
  claim_version: 4,
  primary_pool_id: ids.pool,
  retained_profiles: { profiles: [{ profile: "p1", live_instances: 1 }], complete: true },
  supply_fingerprint: "f-1",
  field_of_the_future: { any: "thing" },
};

export const poolAnswer = {
  id: ids.pool,
  worker_group_id: ids.group,
  name: "default",
  status: "active",
  claim_version: 2,
  sealed_at: "2026-08-29T00:00:00.123456789Z",
  retained_profiles: { profiles: [], complete: false },
  field_of_the_future: 1,
};

export const hostAnswer = {
  id: ids.host,
  resource_id: "i-0123456789abcdef0",
  worker_group_id: ids.group,
  worker_pool_id: ids.pool,
  status: "active",
  claim_version: 1,
  created_at: "2026-08-29T00:00:00Z",
  updated_at: "2026-08-29T00:00:00+02:00",
  drain_blockers: { unreclaimed_instances: 0, unreconciled_session_processes: 2 },
  current_epoch: 3,
  draining_at: null,
  field_of_the_future: [],
};

export const planAnswer = {
  worker_group_id: ids.group,
  worker_group_name: "default",
  region_id: "aws-us-east-1",
  group_status: "active",
  pools: [
    {
      pool_id: ids.pool,
      pool_name: "default",
      recommended_additional_workers: 2,
      compatible_queued_items: 2,
      registering_workers: 0,
      active_workers: 1,
      complete: true,
      saturated: false,
      scale_in_blocked: false,
      policy_revision: 1,
      reclaiming_workers: 0,
      placements: { immediate: null, after_optional_reclaim: 3 },
      optional_occupancy: null,
      credited_hosts: [{ id: ids.host, epoch: 3 }],
    },
  ],
  unmatched_demand: [],
  complete: true,
  computed_at: "2026-08-29T00:00:00Z",
};

export const policyAnswer = {
  revision: 1,
  optional: {
    cpu_millis: 0,
    memory_bytes: 0,
    disk_bytes: 0,
    vm_slots: 0,
    max_tasks: 0,
    io_bytes_per_second: 0,
  },
  local_headroom_slots: 0,
};

export const receiptAnswer = {
  operation_key: ids.key,
  phase: "draining",
  worker_group_id: ids.group,
  worker_pool_id: ids.pool,
  worker_host_id: ids.host,
  resource_id: "i-0123456789abcdef0",
  worker_epoch: 3,
  claim_version: 2,
};

export const deploymentAnswer = {
  release: "0.9.1",
  source_commit: "abc",
  worker_revision: 7,
  applied_schema_version: 120,
  schema_dirty: false,
};
