import type { Tags } from "./tag-reader.ts";

/** Auto Scaling's life-cycle states, as AWS documents them; anything else is `unknown` and makes a group unsafe. */
export const lifecycleStates = [
  "Pending",
  "Pending:Wait",
  "Pending:Proceed",
  "Quarantined",
  "InService",
  "Terminating",
  "Terminating:Wait",
  "Terminating:Proceed",
  "Terminating:Retained",
  "Terminated",
  "Detaching",
  "Detached",
  "EnteringStandby",
  "Standby",
  "ReplacingRootVolume",
  "ReplacingRootVolume:Wait",
  "ReplacingRootVolume:Proceed",
  "RootVolumeReplaced",
  "Warmed:Pending",
  "Warmed:Pending:Wait",
  "Warmed:Pending:Proceed",
  "Warmed:Pending:Retained",
  "Warmed:Terminating",
  "Warmed:Terminating:Wait",
  "Warmed:Terminating:Proceed",
  "Warmed:Terminating:Retained",
  "Warmed:Terminated",
  "Warmed:Stopped",
  "Warmed:Running",
  "Warmed:Hibernated",
] as const;

export type LifecycleState = (typeof lifecycleStates)[number] | "unknown";

export interface GroupInstance {
  readonly id: string;
  readonly state: LifecycleState;
  readonly zone: string;
  readonly healthy: boolean;
  /** Protected from scale-in: an absolute decrease will not pick it. */
  readonly protected: boolean;
}

/** One Auto Scaling group as one Describe showed it. Counts are instances. */
export interface Group {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  readonly tags: Tags;
  readonly suspended: readonly string[];
  readonly newInstancesProtected: boolean;
  readonly capacityRebalance: boolean;
  readonly maxInstanceLifetimeSeconds: number;
  /** Whether instances count more than one unit each, or are counted in vCPUs or memory. */
  readonly weighted: boolean;
  readonly hasWarmPool: boolean;
  /** Whether a scale-in puts instances into the warm pool instead of ending them. */
  readonly warmPoolReuses: boolean;
  readonly beingDeleted: boolean;
  /** Empty when they were not asked for. */
  readonly instances: readonly GroupInstance[];
}

/** What became of a raise that was sent once. */
export type RaiseOutcome =
  /** Auto Scaling has taken the new desired capacity. */
  | { readonly outcome: "accepted" }
  /** It said no and nothing changed; `code` is AWS's. */
  | { readonly outcome: "refused"; readonly code: string; readonly kind: RefusalKind }
  /** No answer, or one that does not tell: the raise may still land (design: rule 5). */
  | { readonly outcome: "unknown"; readonly code: string }
  /** It was not sent, because this stack only observes. */
  | { readonly outcome: "observed" };

/** Whether the next run may find it otherwise by itself, or a person must change something. */
export type RefusalKind = "throttled" | "busy" | "changed" | "denied";

/** Auto Scaling groups as the raising half of Drover needs them. Errors other than the named outcomes throw. */
export interface Groups {
  /** Every group of this stack, instances included when asked for. */
  owned(options: { readonly instances: boolean }): Promise<Group[]>;
  /** The groups of this stack that carry `tag`, with this value where one is given; instances included when asked for. */
  tagged(tag: string, options?: { readonly value?: string; readonly instances?: boolean }): Promise<Group[]>;
  /** One group of this stack, without its instances unless asked for; undefined when there is none of that name. */
  named(group: string, options?: { readonly instances: boolean }): Promise<Group | undefined>;
  /** Sets desired capacity to exactly `to`, once. The caller holds the group's lease (design: rule 3). */
  raise(group: string, to: number): Promise<RaiseOutcome>;
}
