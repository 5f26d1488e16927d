import { type AnswerFields, answerFields, optional } from "./answer-fields.ts";
import { groupStatuses, type Plan, type PoolPlan, type ResourcePolicy } from "./protocol.ts";

export function plan(value: unknown): Plan {
  const fields = answerFields(value, "plan");
  const pools = fields.objects("pools").map(poolPlan);
  // Two rows of one pool could each permit what the other forbids.
  if (new Set(pools.map((pool) => pool.pool_id)).size < pools.length) throw fields.odd("a pool is in it twice");
  return {
    worker_group_id: fields.id("worker_group_id"),
    worker_group_name: fields.text("worker_group_name"),
    region_id: fields.text("region_id"),
    group_status: fields.word("group_status", groupStatuses),
    pools,
    unmatched_demand: fields
      .objects("unmatched_demand")
      .map((demand) => ({ reason: demand.text("reason"), count: demand.whole("count") })),
    complete: fields.flag("complete"),
    computed_at: fields.time("computed_at"),
  };
}

function poolPlan(fields: AnswerFields): PoolPlan {
  return {
    pool_id: fields.id("pool_id"),
    pool_name: fields.text("pool_name"),
    recommended_additional_workers: fields.whole("recommended_additional_workers"),
    compatible_queued_items: fields.whole("compatible_queued_items"),
    registering_workers: fields.whole("registering_workers"),
    active_workers: fields.whole("active_workers"),
    complete: fields.flag("complete"),
    saturated: fields.flag("saturated"),
    scale_in_blocked: fields.flag("scale_in_blocked"),
    ...optional(fields, "policy_revision", fields.whole),
    ...optional(fields, "reclaiming_workers", fields.whole),
  };
}

/** A pool's policy. The contract does not name the field that carries the revision (helmr-notes 1, row 4). */
export function resourcePolicy(value: unknown): ResourcePolicy {
  const fields = answerFields(value, "resource policy");
  const limits = fields.object("optional");
  return {
    revision: fields.whole(fields.has("revision") ? "revision" : "policy_revision"),
    optional: {
      cpu_millis: limits.whole("cpu_millis"),
      memory_bytes: limits.whole("memory_bytes"),
      disk_bytes: limits.whole("disk_bytes"),
      vm_slots: limits.whole("vm_slots"),
      max_tasks: limits.whole("max_tasks"),
      io_bytes_per_second: limits.whole("io_bytes_per_second"),
    },
    local_headroom_slots: fields.whole("local_headroom_slots"),
  };
}
