import type { Groups } from "../capacity/group.ts";
import type { Hooks } from "../capacity/hooks.ts";
import type { InstanceStates } from "../capacity/instance-states.ts";
import type { LaunchFailures } from "../capacity/launch-failures.ts";
import type { Shrink } from "../capacity/shrink.ts";
import type { Clock } from "../edge/clock.ts";
import type { Logger } from "../edge/logger.ts";
import type { Metrics } from "../edge/metrics.ts";
import type { Leases } from "../ledger/leases.ts";
import type { Operations } from "../ledger/operations.ts";
import type { Records } from "../ledger/records.ts";
import type { Trail } from "../ledger/trail.ts";
import type { HelmrActs } from "./acts.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { DrainDetail, DrainPhase } from "./drain-operation.ts";
import type { Pauses } from "./pause.ts";

/** What the Helmr reconciler works with; functions/ builds it from the environment, simulations from their world. */
export interface HelmrParts {
  readonly groups: Groups;
  readonly shrink: Shrink;
  readonly hooks: Hooks;
  readonly instances: InstanceStates;
  readonly launchFailures: LaunchFailures;
  readonly controlPlane: ControlPlane;
  /** How decisions are carried out. */
  readonly acts: HelmrActs;
  /** Follows the Control Plane's update stream until closed; without it there are periodic cycles only (invariant 42). */
  readonly followUpdates?: (onChange: () => void, onLost: (reason: string) => void) => { close(): void };
  readonly records: Records;
  readonly leases: Leases;
  readonly operations: Operations<DrainPhase, DrainDetail>;
  readonly trail: Trail;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A token unlike any other: the owner of this invocation's leases. */
  readonly newToken: () => string;
  /** A canonical UUIDv7: operation keys. */
  readonly newId: () => string;
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly settings: HelmrSettings;
}

/** What a cycle looks with; nothing in it changes anything at AWS. */
export interface LookParts extends Pick<HelmrParts, "instances" | "launchFailures" | "clock" | "logger" | "settings"> {
  readonly groups: Pick<Groups, "tagged">;
}

/** All times in milliseconds. */
export interface HelmrSettings {
  readonly regionId: string;
  /** The worker protocol revision that this stack was set up for; undefined accepts any. */
  readonly workerRevision: string | undefined;
  /** From one periodic cycle to the next: two of them fit into the 30 s that evidence lives. */
  readonly cycleMs: number;
  /** The least from one cycle to the next, however many hints come. */
  readonly leastCycleMs: number;
  readonly leaseMs: number;
  /** The longest that one AWS mutation may take to be answered: the mutation client's timeout. */
  readonly mutationTimeoutMs: number;
  /** An observation older than this is made anew before it is sent; Helmr refuses it at 30 s (invariant 9). */
  readonly observationMs: number;
  /** How long a newcomer waits for the holder of a group to let go, and how often both look. */
  readonly successionMs: number;
  readonly successionLookMs: number;
  /** How far a Describe may lag behind what we sent; for so long a raise counts although no Describe shows it. */
  readonly describeLagMs: number;
  /** How long a terminate that was not answered is left alone before the instance is looked at for a repeat. */
  readonly doubtMs: number;
  /** How long an instance may take from its launch to an active host (helmr-notes 9, invariant 32). */
  readonly readinessMs: number;
  /** How long a place may be without an instance before the group's activities are asked why. */
  readonly missingMs: number;
  /** No drain starts in a pool for so long after an instance came into it. */
  readonly cooldownMs: number;
  /** After Helmr refused a scale-in, before the next is asked for. */
  readonly refusedScaleInMs: number;
  /** The least between the two looks that confirm an absence, and the age from which "not found" can mean it at all (cases.md 27). */
  readonly absenceMs: number;
  readonly launchLagMs: number;
}

export const defaultHelmrSettings: Omit<HelmrSettings, "regionId" | "workerRevision"> = {
  cycleMs: 15_000,
  leastCycleMs: 2_000,
  leaseMs: 30_000,
  mutationTimeoutMs: 2_500,
  observationMs: 20_000,
  successionMs: 20_000,
  successionLookMs: 1_000,
  describeLagMs: 60_000,
  doubtMs: 120_000,
  readinessMs: 900_000,
  missingMs: 45_000,
  cooldownMs: 300_000,
  refusedScaleInMs: 60_000,
  absenceMs: 5_000,
  launchLagMs: 300_000,
};
