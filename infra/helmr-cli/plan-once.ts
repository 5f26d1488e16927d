import { dryOutlook } from "../../lib/helmr/dry-run.ts";
import { observeAndPlan, observeOnly } from "../../lib/helmr/planned-observation.ts";
import { noteTaker } from "./notes.ts";
import type { Reach } from "./reach.ts";

type Planned = { readonly said: string; readonly problem?: undefined } | { readonly problem: string };

/** Resolves the Worker group and reads one plan from a whole observation, to see that both work. Errors of the first come through. */
export async function planOnce(reach: Reach, groupName: string): Promise<Planned> {
  const { logger, notes } = noteTaker();
  const parts = reach.dryParts(logger);
  const look = reach.isPlanned ? observeAndPlan : observeOnly;
  const { observation, plan, advisory } = await look(parts, await dryOutlook(parts, groupName));
  const resolved = `${groupName} was resolved (${observation.workerGroup.status})`;
  if (plan !== undefined) {
    return { said: `${resolved} and planned: ${plan.pools.length} pools, complete: ${plan.complete}.` };
  }
  if (!reach.isPlanned) return { said: `${resolved}. The stack only observes, so no plan was asked for.` };
  if (!observation.pools.some(({ pool }) => pool.status === "active")) {
    return { said: `${resolved}. None of its pools is active, so there is nothing to plan yet.` };
  }
  return { problem: `${resolved}, but no plan could be read: ${[...advisory, ...notes.slice(-1)].join("; ")}` };
}
