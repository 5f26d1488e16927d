import type { InstanceTypes } from "../capacity/instance-types.ts";
import type { Instances, Launches } from "../capacity/instances.ts";
import type { LaunchTemplates } from "../capacity/launch-templates.ts";
import type { Clock } from "../edge/clock.ts";
import type { Logger } from "../edge/logger.ts";
import type { Metrics } from "../edge/metrics.ts";
import type { CoolOffs } from "../ledger/cool-offs.ts";
import type { LiveSets } from "../ledger/live-set.ts";
import type { Trail } from "../ledger/trail.ts";
import type { Agents } from "./agent-record.ts";

/** What tearing down works with; functions/ build it from the environment, tests from the local world. */
export interface TeardownParts {
  readonly stack: string;
  readonly instances: Instances;
  readonly agents: Agents;
  readonly liveSets: LiveSets;
  readonly trail: Trail;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What launching works with: a launch that comes too late tears itself down. */
export interface LaunchParts extends TeardownParts {
  readonly launches: Launches;
  readonly templates: LaunchTemplates;
  readonly types: InstanceTypes;
  readonly coolOffs: CoolOffs;
  /** A token unlike any other: the owner of this invocation's lease. */
  readonly newToken: () => string;
}

/** The name of a scaler's set of living agents, and of its line in the trail. */
export const liveSetOf = (scaler: string): string => `kici#${scaler}`;
