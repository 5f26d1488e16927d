import { type AnswerFields, answerFields, optional } from "./answer-fields.ts";
import {
  type Deployment,
  type DrainBlockers,
  groupStatuses,
  hostStatuses,
  poolStatuses,
  type RetainedProfiles,
  type WorkerGroup,
  type WorkerHost,
  type WorkerPool,
} from "./protocol.ts";

/** A Worker group without its fingerprint, which only resolution is known to carry. */
export function groupIdentity(fields: AnswerFields): Omit<WorkerGroup, "supply_fingerprint"> {
  return {
    id: fields.id("id"),
    name: fields.text("name"),
    region_id: fields.text("region_id"),
    status: fields.word("status", groupStatuses),
    claim_version: fields.whole("claim_version"),
    ...optional(fields, "primary_pool_id", fields.id),
    ...retainedProfiles(fields),
  };
}

export function workerGroup(value: unknown): WorkerGroup {
  const fields = answerFields(value, "Worker group");
  return { ...groupIdentity(fields), supply_fingerprint: fields.text("supply_fingerprint") };
}

export function workerPool(value: unknown): WorkerPool {
  const fields = answerFields(value, "Worker pool");
  return {
    id: fields.id("id"),
    worker_group_id: fields.id("worker_group_id"),
    name: fields.text("name"),
    status: fields.word("status", poolStatuses),
    claim_version: fields.whole("claim_version"),
    ...optional(fields, "sealed_at", fields.time),
    ...retainedProfiles(fields),
  };
}

export function workerHost(value: unknown): WorkerHost {
  return hostOf(answerFields(value, "Worker host"));
}

export function workerHosts(value: unknown): WorkerHost[] {
  return answerFields(value, "answer").objects("worker_hosts").map(hostOf);
}

function hostOf(fields: AnswerFields): WorkerHost {
  return {
    id: fields.id("id"),
    resource_id: fields.text("resource_id"),
    worker_group_id: fields.id("worker_group_id"),
    worker_pool_id: fields.id("worker_pool_id"),
    status: fields.word("status", hostStatuses),
    claim_version: fields.whole("claim_version"),
    created_at: fields.time("created_at"),
    updated_at: fields.time("updated_at"),
    drain_blockers: drainBlockers(fields.raw("drain_blockers")),
    ...optional(fields, "current_epoch", fields.whole),
    ...optional(fields, "draining_at", fields.time),
    ...optional(fields, "drain_reason", fields.text),
    ...optional(fields, "termination_ready_at", fields.time),
    ...optional(fields, "lost_at", fields.time),
  };
}

/** Only ever shown, and its names are inferred (helmr-notes 2.1): what is not understood is left out. */
function drainBlockers(value: unknown): DrainBlockers {
  const found = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const names = ["unreclaimed_instances", "unreconciled_session_processes"] as const;
  return Object.fromEntries(names.flatMap((name) => (typeof found[name] === "number" ? [[name, found[name]]] : [])));
}

/** Names inferred too (helmr-notes 2.5). A list that does not say that it is complete is not. */
function retainedProfiles(fields: AnswerFields): { retained_profiles?: RetainedProfiles } {
  if (!fields.has("retained_profiles")) return {};
  const found = fields.raw("retained_profiles");
  const { profiles, complete } = (Array.isArray(found) ? { profiles: found } : found) as Readonly<
    Record<string, unknown>
  >;
  const listed = Array.isArray(profiles) ? profiles : [];
  return {
    retained_profiles: {
      profiles: listed.filter((profile) => typeof profile === "object" && profile !== null && !Array.isArray(profile)),
      complete: complete === true && Array.isArray(profiles),
    },
  };
}

export function deployment(value: unknown): Deployment {
  const fields = answerFields(value, "deployment");
  const revision = fields.raw("worker_revision") ?? fields.raw("worker_protocol_revision");
  if (typeof revision !== "string" && typeof revision !== "number") throw fields.odd("worker_revision is missing");
  return {
    release: fields.text("release"),
    ...optional(fields, "source_commit", fields.text),
    worker_revision: revision,
    applied_schema_version: fields.whole("applied_schema_version"),
    schema_dirty: fields.flag("schema_dirty"),
  };
}
