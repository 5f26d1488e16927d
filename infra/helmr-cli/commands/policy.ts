import { done, type Outcome } from "../../cli/outcome.ts";
import type { Reach } from "../reach.ts";

/** A pool's resource policy: what each Worker may spend on optional work. */
export async function showPolicy(reach: Reach, name: string): Promise<Outcome> {
  const controlPlane = reach.controlPlane();
  const group = await controlPlane.resolveGroup(reach.regionId(), await reach.workerGroup());
  const pool = await controlPlane.resolvePool(group.id, name);
  const policy = await controlPlane.resourcePolicy(group.id, pool.id);
  const limits = Object.entries({ ...policy.optional, local_headroom_slots: policy.local_headroom_slots });
  const lines = [
    `pool ${name}, revision ${policy.revision}, for each Worker:`,
    ...limits.map(([limit, value]) => `  ${limit.padEnd(20)} ${value}`),
    "This is the policy as it is wanted. Whether Workers still reclaim what it no longer grants is in the plan (reclaiming_workers).",
  ];
  return done(lines, { pool, policy });
}
