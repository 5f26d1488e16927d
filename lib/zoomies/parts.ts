import type { Groups } from "../capacity/group.ts";
import type { Clock } from "../edge/clock.ts";
import type { Logger } from "../edge/logger.ts";
import type { Metrics } from "../edge/metrics.ts";
import type { Records } from "../ledger/records.ts";
import type { Trail } from "../ledger/trail.ts";

/** What the demand half of Zoomies works with; functions/ build it from the environment, tests from the local world. */
export interface DemandParts {
  readonly groups: Groups;
  readonly records: Records;
  readonly trail: Trail;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A token unlike any other: the owner of this invocation's leases. */
  readonly newToken: () => string;
  readonly settings: DemandSettings;
}

export interface DemandSettings {
  /** How long a reading counts, in milliseconds; longer than the sender's cooldown. */
  readonly freshMs: number;
  /** How long a group's lease is taken for, in milliseconds. */
  readonly leaseMs: number;
  /** The longest that one raise may take to be answered, in milliseconds: the mutation client's timeout. */
  readonly raiseTimeoutMs: number;
}
