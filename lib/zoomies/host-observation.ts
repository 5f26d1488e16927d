import type { Finding } from "../capacity/finding.ts";
import type { Group } from "../capacity/group.ts";
import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { LifecycleHook } from "../capacity/hooks.ts";
import type { InstanceState } from "../capacity/instance-states.ts";
import type { ShrinkFacts } from "../capacity/shrink.ts";
import type { Host, Pool, Runner } from "./api.ts";
import type { DrainOutcome, HostsRecord } from "./host-notes.ts";
import type { JoinRecord } from "./join-record.ts";
import type { Noticed } from "./noticed.ts";
import type { PoolReading } from "./reading.ts";

/** All of Zoomies as one round of reads showed it. */
export interface ZoomiesView {
  /** Before the first of the reads: nothing in it is newer than it looks. Milliseconds since the epoch. */
  readonly at: number;
  readonly hosts: readonly Host[];
  readonly runners: readonly Runner[];
  readonly pools: readonly Pool[];
}

export interface HostSettings {
  /** How long a reading counts. */
  readonly freshMs: number;
  /** The scheduler's interval in Zoomies: a pass whose snapshot predates a cordon may still place a runner. */
  readonly schedulerIntervalMs: number;
  /** How long an instance may take to join. */
  readonly joinDeadlineMs: number;
}

/** Everything that one decision about a group's hosts rests on. */
export interface HostsObservation {
  /** Described with its instances. */
  readonly group: Group;
  readonly fleet: ZoomiesFleet;
  readonly hooks: readonly LifecycleHook[];
  /** Undefined when any read failed or was odd: then nothing is proven. */
  readonly zoomies: ZoomiesView | undefined;
  /** Undefined when they were not asked for or not to be had. */
  readonly facts: ShrinkFacts | undefined;
  /** EC2's word on instances that left the group; undefined when it was not to be had. */
  readonly states: ReadonlyMap<string, InstanceState> | undefined;
  /** Join records of instances without a host. */
  readonly joins: ReadonlyMap<string, JoinRecord>;
  readonly readings: Readonly<Record<string, PoolReading>>;
  /** None where nobody reads them. */
  readonly noticed?: Noticed;
  /** Keys of drains that an operator wants given up. */
  readonly unwanted?: ReadonlySet<string>;
  readonly record: HostsRecord;
  readonly now: number;
  readonly settings: HostSettings;
}

/** One thing to do about one instance. Its intent is in the notes that come with it. */
export type HostAction = { readonly instance: string; readonly reason: string } & (
  | { readonly kind: "complete-launch"; readonly hook: string }
  | { readonly kind: "abandon-launch"; readonly hook: string }
  | { readonly kind: "complete-termination"; readonly hook: string; readonly hostId: string | undefined }
  | { readonly kind: "heartbeat"; readonly hook: string }
  | { readonly kind: "cordon"; readonly hostId: string }
  | { readonly kind: "uncordon"; readonly hostId: string }
  | { readonly kind: "drain"; readonly hostId: string; readonly runners: readonly string[] }
  | { readonly kind: "terminate"; readonly hostId: string }
  | { readonly kind: "terminate-unjoined" }
  | { readonly kind: "delete-row"; readonly hostId: string }
);

/** A drain that came to its end. */
export interface Ended {
  readonly instance: string;
  readonly key: string;
  readonly outcome: DrainOutcome;
  readonly reason: string;
}

/** What the raise must know of the hosts (healing). Slots are runner slots. */
export interface Supply {
  /** Slots that desired capacity stands for and Zoomies does not count. */
  readonly lost: number;
  /** Slots that the pools need by Zoomies' own report, while no counted host has one free. */
  readonly needed: number | undefined;
  /** Why the group is not raised at all, and until when. */
  readonly stop: { readonly reason: string; readonly until: number } | undefined;
}

export interface HostsDecision {
  readonly record: HostsRecord;
  readonly actions: readonly HostAction[];
  readonly ended: readonly Ended[];
  readonly findings: readonly Finding[];
  /** Why no host leaves now, in short. */
  readonly reasons: readonly string[];
  readonly supply: Supply;
}
