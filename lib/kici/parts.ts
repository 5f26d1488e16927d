import type { InstanceTypes } from "../capacity/instance-types.ts";
import type { Instances, Launches } from "../capacity/instances.ts";
import type { LaunchTemplates } from "../capacity/launch-templates.ts";
import type { Clock } from "../edge/clock.ts";
import type { Logger } from "../edge/logger.ts";
import type { Metrics } from "../edge/metrics.ts";
import type { CoolOffs } from "../ledger/cool-offs.ts";
import type { LiveSet, LiveSets } from "../ledger/live-set.ts";
import type { Trail } from "../ledger/trail.ts";
import type { AgentName, AgentRecord, Agents } from "./agent-record.ts";

/** What tearing down works with; functions/ build it from the environment, tests from the local world. */
export interface TeardownParts {
  readonly stack: string;
  readonly instances: Instances;
  /** Whether a scaler is only observed for now: none of its instances is ended. */
  readonly isPaused: (scaler: string) => Promise<boolean>;
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

/** A scaler's line in the trail. */
export const trailOf = (scaler: string): string => `kici#${scaler}`;

const setPrefix = "kici#";

/** The set of a scaler's living agents of one architecture: each of its launch templates has a cap of its own. */
export const liveSetOf = (scaler: string, architecture: string): LiveSet => ({
  of: setPrefix + scaler,
  kind: architecture,
});

/** The scaler whose set this is. */
export const scalerOf = ({ of }: LiveSet): string => of.slice(setPrefix.length);

/** Frees the place of an agent of whom nothing runs or will run; one that never had a place has none to free. */
export async function freePlace(
  { liveSets }: Pick<TeardownParts, "liveSets">,
  { scaler, agent }: AgentName,
  { architecture }: Pick<AgentRecord, "architecture">,
): Promise<void> {
  if (architecture !== undefined) await liveSets.free(liveSetOf(scaler, architecture), agent);
}
