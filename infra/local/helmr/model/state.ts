import type { Shape, Template } from "./shape.ts";

export type GroupState = "active" | "paused" | "draining" | "disabled";
type PoolState = "pending" | "active" | "draining" | "disabled";
export type HostState = "registering" | "active" | "draining" | "termination_ready" | "lost";
export type Phase = "draining" | "termination_ready" | "blocked" | "completed";

export interface Group {
  readonly id: string;
  readonly regionId: string;
  readonly name: string;
  status: GroupState;
  claimVersion: number;
  primaryPoolId?: string;
  /** Counts every committed change of inventory, pool lifecycle and primary pool; the fingerprint is made of it. */
  supplyRevision: number;
  readonly pools: Map<string, Pool>;
  /** All rows of a resource, oldest first; ended rows are kept (helmr-notes 1.1). */
  readonly rows: Map<string, Host[]>;
  readonly queue: Map<string, QueuedItem>;
  readonly profiles: Profile[];
}

export interface Pool {
  readonly id: string;
  readonly groupId: string;
  readonly name: string;
  status: PoolState;
  claimVersion: number;
  sealedAt?: number;
  template?: Template;
  policy: Policy;
  /** Every row that ever enrolled in this pool. */
  readonly hosts: Set<Host>;
}

export interface Policy {
  readonly revision: number;
  readonly optional: Readonly<Record<OptionalField, number>>;
  readonly local_headroom_slots: number;
}

export const optionalFields = [
  "cpu_millis",
  "memory_bytes",
  "disk_bytes",
  "vm_slots",
  "max_tasks",
  "io_bytes_per_second",
] as const;
export type OptionalField = (typeof optionalFields)[number];

export interface Host {
  readonly id: string;
  readonly resourceId: string;
  readonly groupId: string;
  readonly poolId: string;
  status: HostState;
  claimVersion: number;
  readonly createdAt: number;
  updatedAt: number;
  epoch?: number;
  drainingAt?: number;
  drainReason?: string;
  /** The fence the drain was committed with; replays are compared with it (helmr-notes 2.2). */
  drainFence?: { readonly epoch: number; readonly before: number };
  terminationReadyAt?: number;
  lostAt?: number;
  /** When the provider's absence was confirmed through /lost. */
  absentAt?: number;
  observedAt?: number;
  /** The worker observes itself, but its resource report is missing. */
  resourcesUnknown: boolean;
  paused: boolean;
  template?: Template;
  readonly leases: Map<string, Lease>;
  sessionProcesses: number;
}

/** A VM on a host: real work, or optional (prepared Computers, seeds). It stays charged until it is released or fenced. */
export interface Lease extends Shape {
  readonly id: string;
  readonly kind: "work" | "optional";
  readonly itemId?: string;
}

export interface QueuedItem extends Shape {
  readonly id: string;
  readonly kind: "fresh" | "restore" | "build";
  readonly queuedAt: number;
  /** A restore's platform; with `poolId` it is bound to that one pool. */
  readonly platform?: string;
  readonly poolId?: string;
  /** Waits outside the plan (quota, parked checkpoint), yet counts for queued_demand_present (helmr-notes 3). */
  readonly outsidePlan?: boolean;
  readonly unsupported?: boolean;
}

/** A profile that live or parked state needs (contract: retained_profiles). */
export interface Profile {
  readonly name: string;
  readonly platform: string;
  readonly liveInstances: number;
  readonly creatingCheckpoints: number;
  readonly parkedCheckpoints: number;
}

export interface Receipt {
  readonly operationKey: string;
  readonly groupId: string;
  readonly poolId: string;
  readonly hostId: string;
  readonly resourceId: string;
  /** The drain's fence: epoch, and the claim version that the drain produced. */
  epoch: number;
  claimVersion: number;
  phase: Phase;
  readonly createdAt: number;
  /** Absence is confirmed; the receipt completes from here on (`completionDelayMs`). */
  completesAt?: number;
}
