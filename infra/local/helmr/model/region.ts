import type { UntimedModelEvent } from "./events.ts";
import type { Evidence } from "./evidence.ts";
import type { Settings } from "./options.ts";
import { notFound } from "./refusal.ts";
import type { Group, Host, Pool, Receipt } from "./state.ts";

interface DeploymentState {
  release: string;
  source_commit: string;
  worker_revision: string | number;
  applied_schema_version: number;
  schema_dirty: boolean;
}

/** Everything a Control Plane knows: its database, and the means to change it. */
export interface Region {
  readonly settings: Settings;
  readonly groups: Map<string, Group>;
  readonly hosts: Map<string, Host>;
  /** Scale-in operations by group, then by key. */
  readonly receipts: Map<string, Map<string, Receipt>>;
  readonly evidence: Map<string, Evidence>;
  readonly deployment: DeploymentState;
  now(): number;
  newId(): string;
  emit(event: UntimedModelEvent): void;
}

/** Throws 404 not_found. */
export function groupOf(region: Region, id: string): Group {
  const group = region.groups.get(id);
  if (group === undefined) throw notFound("worker group");
  return group;
}

/** Throws 404 not_found for a pool of another group too. */
export function poolOf(region: Region, groupId: string, poolId: string): Pool {
  const pool = groupOf(region, groupId).pools.get(poolId);
  if (pool === undefined) throw notFound("worker pool");
  return pool;
}

/** Throws 404 not_found. */
export function hostOf(region: Region, id: string): Host {
  const host = region.hosts.get(id);
  if (host === undefined) throw notFound("worker host");
  return host;
}

/** The pool of a row; a row never outlives its pool. */
export function poolOfHost(region: Region, host: Host): Pool {
  return poolOf(region, host.groupId, host.poolId);
}
