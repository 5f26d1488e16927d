import type { Group } from "../capacity/group.ts";
import type { Hooks } from "../capacity/hooks.ts";
import type { Members } from "../capacity/members.ts";
import type { Clock } from "../edge/clock.ts";
import type { Logger } from "../edge/logger.ts";
import type { Metrics } from "../edge/metrics.ts";
import type { Records } from "../ledger/records.ts";
import type { Trail } from "../ledger/trail.ts";
import type { JoinsApi } from "./api.ts";

/** What `POST /zoomies/join` works with. */
export interface JoinParts {
  readonly groups: { named(group: string): Promise<Group | undefined> };
  readonly members: Members;
  readonly hooks: Pick<Hooks, "of">;
  readonly joins: JoinsApi;
  readonly records: Records;
  readonly trail: Trail;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newToken: () => string;
  /** The controller's address, as agents reach it. */
  readonly zoomiesUrl: string;
  /** The role that hosts carry. */
  readonly hostRoleArn: string;
  readonly joinDeadlineMs: number;
}
