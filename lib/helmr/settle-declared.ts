import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import { errorFields } from "../edge/logger.ts";
import { ControlPlaneUnauthorized } from "./control-plane.ts";
import { settlePrimary } from "./declared-policy.ts";
import type { HelmrParts } from "./parts.ts";
import { CapacityPaused } from "./pause.ts";
import type { PlannedObservation } from "./planned-observation.ts";
import type { Session } from "./session.ts";

/** What became of one declaration that was not as declared. */
export interface Declared {
  readonly group: string;
  readonly pool: string;
  readonly what: "policy" | "primary";
  readonly outcome: string;
  /** Whether the Worker group has to be resolved anew. */
  readonly isNew: boolean;
}

/** Makes policies and primary pool what the tags declare. Nothing of it keeps a cycle from its end. */
export async function settleDeclared(
  parts: HelmrParts,
  session: Session,
  { observation, plan }: PlannedObservation,
): Promise<Declared[]> {
  const { workerGroup } = observation;
  const declared: Declared[] = [];
  for (const { fleet, pool } of observation.pools) {
    if (fleet.paused || pool.status !== "active") continue;
    const of = { group: fleet.group, pool: fleet.pool };
    const row = plan?.pools.find(({ pool_id: id }) => id === pool.id);
    try {
      if (fleet.policy !== undefined) {
        const settled = await session.policies.settle(workerGroup.id, pool.id, fleet.policy, row);
        if (settled.outcome !== "as_declared") {
          parts.logger.log("info", "policy", { group: fleet.group, pool: fleet.pool, ...settled });
          declared.push({ ...of, what: "policy", outcome: settled.outcome, isNew: false });
        }
      }
      if (fleet.primaryMinimum !== undefined && workerGroup.primary_pool_id !== pool.id) {
        const settled = await settlePrimary(session.controlPlane, workerGroup, pool, fleet.primaryMinimum);
        if (settled.outcome !== "is_primary") {
          parts.logger.log("info", "primary", { group: fleet.group, pool: fleet.pool, ...settled });
          const outcome = "reason" in settled ? `${settled.outcome}: ${settled.reason}` : settled.outcome;
          declared.push({ ...of, what: "primary", outcome, isNew: settled.outcome === "selected" });
        }
      }
    } catch (error) {
      if (error instanceof ControlPlaneUnauthorized || error instanceof CapacityPaused) throw error;
      parts.logger.log("warn", "declared", { group: fleet.group, pool: fleet.pool, ...errorFields(error) });
      countRefusal(parts.metrics, errorCode(error), { Fleet: fleet.group });
    }
  }
  return declared;
}
