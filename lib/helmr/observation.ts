import type { Finding } from "../capacity/finding.ts";
import type { Group, GroupInstance } from "../capacity/group.ts";
import type { HelmrFleet } from "../capacity/helmr-fleet.ts";
import type { InstanceState } from "../capacity/instance-states.ts";
import type { WorkerGroup, WorkerHost, WorkerPool } from "./protocol.ts";

/** A fleet, the Auto Scaling group that it was read from, and the pool that it supplies. */
export interface SuppliedPool {
  readonly fleet: HelmrFleet;
  readonly group: Group;
  readonly pool: WorkerPool;
}

/** What one cycle read, before any of it is put together. */
export interface Readings {
  /** Taken before the first read (invariant 8), milliseconds since the epoch. */
  readonly observedAt: number;
  readonly workerGroup: WorkerGroup;
  readonly pools: readonly SuppliedPool[];
  /** Whether every tagged Auto Scaling group is among the pools: if not, a plan covers a part only. */
  readonly isWhole: boolean;
  readonly findings: readonly Finding[];
  /** Live rows of the Worker group, and whether the list of its active ones reached its limit (invariant 16). */
  readonly live: readonly WorkerHost[];
  readonly liveTruncated: boolean;
  /** Whether another list did: then nothing is known to be complete. */
  readonly othersTruncated: boolean;
  /** Lost hosts that still hold work: it stays held until their absence is confirmed (helmr-notes 2.3). */
  readonly strays: readonly WorkerHost[];
  /** The row of each instance that was asked for by id, whatever its status and group. */
  readonly byInstance: readonly WorkerHost[];
  readonly instances: ReadonlyMap<string, InstanceState>;
}

/** What one instance of a pool's Auto Scaling group is to the pool. */
export type Role =
  /** In service with an active host. */
  | "active"
  /** On its way: pending, booting, not registered or registering, and younger than the readiness time. */
  | "in_flight"
  /** The same, and older: it holds a place and will hardly become a host (invariant 32). */
  | "stuck"
  | "draining"
  /** termination_ready: drained, and to be ended under its proof. */
  | "ready"
  | "terminating"
  /** Its host is lost and the machine is still there: nobody may end it. */
  | "lost_alive"
  /** Another Worker group's or pool's host runs on it. */
  | "foreign"
  /** Standby, stopped, unhealthy, of an unknown state: no supply, and nothing that Drover may decide. */
  | "unusable";

export interface Member {
  readonly instance: GroupInstance;
  readonly ec2: InstanceState | undefined;
  readonly host: WorkerHost | undefined;
  readonly role: Role;
}

/** One pool as one cycle saw it. Counts are hosts or instances. */
export interface ObservedPool extends SuppliedPool {
  readonly members: readonly Member[];
  readonly count: Readonly<Record<Role, number>>;
  /** Desired capacity, or what we last asked for where Describe may lag behind it. */
  readonly desired: number;
  /** Places of desired capacity without an instance yet. */
  readonly missing: number;
  /** `missing` and the instances that are on their way. */
  readonly inFlight: number;
  /** Rows of the Worker inventory by status, for the plan request. */
  readonly activeRows: number;
  readonly registeringRows: number;
  /** Rows of this pool whose instance is in none of the pool's Auto Scaling group, live ones. */
  readonly outside: readonly WorkerHost[];
  /** Hosts beyond the active ones that the provider can supply, 0 to 1,000. */
  readonly headroom: number;
  /** What keeps the provider's side from being complete and stable, in short; empty when it is. */
  readonly unsettled: readonly string[];
  /** A terminate of ours is not in this Describe yet: it is older than what we did. */
  readonly lags: boolean;
}

export interface Observation {
  readonly observedAt: number;
  readonly workerGroup: WorkerGroup;
  readonly pools: readonly ObservedPool[];
  readonly isWhole: boolean;
  readonly findings: readonly Finding[];
  /** Every live row of the group by the list; where that was cut off, of our instances by their ids. */
  readonly rows: readonly WorkerHost[];
  readonly strays: readonly WorkerHost[];
  readonly liveTruncated: boolean;
  /** Whether the two ways of listing contradict each other, or a row has a status that we do not know. */
  readonly inconsistent: boolean;
  /** The row of each instance that was asked for by id. */
  readonly hostOf: ReadonlyMap<string, WorkerHost>;
  readonly instances: ReadonlyMap<string, InstanceState>;
}
