import { done, failed, type Outcome } from "../../cli/outcome.ts";
import { planOnce } from "../plan-once.ts";
import type { Reach } from "../reach.ts";

/** Stops Drover's requests about a Worker group from the next one on: the first step of rotating the token (the contract). */
export async function pauseGroup(reach: Reach, reason: string | undefined): Promise<Outcome> {
  const group = await reach.workerGroup();
  const pause = await reach.pauses().set(group, true, reason ?? "");
  const lines = [
    `${group} is paused. Drover sends Helmr nothing about it from its next request on; drains that Helmr has begun go on there.`,
    "End it with: npm run helmr -- resume",
  ];
  return done(lines, { group, ...pause });
}

/** Lifts the pause, once the group was resolved and a plan read with the token as it is now (the contract: rotation, step 5). */
export async function resumeGroup(reach: Reach): Promise<Outcome> {
  const group = await reach.workerGroup();
  const planned = await planOnce(reach, group);
  if (planned.problem !== undefined)
    return failed([planned.problem, `${group} stays paused.`], { group, error: planned.problem });
  const pause = await reach.pauses().set(group, false, "resumed");
  return done([planned.said, `${group} is resumed.`], { group, ...pause });
}
