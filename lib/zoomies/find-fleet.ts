import type { Group, Groups } from "../capacity/group.ts";
import { type ZoomiesFleet, zoomiesFleet, zoomiesPoolTag } from "../capacity/group-fleet.ts";
import type { Refusal } from "../edge/http-answer.ts";

/** Tag keys end at 128 characters, so a longer pool id can be on no group. */
const longestPoolId = 128 - zoomiesPoolTag.length;

/** The one group that serves a pool, with its fleet as its tags say now, or why there is none. */
export type FoundFleet =
  | { readonly group: Group; readonly fleet: ZoomiesFleet; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

/** Looks the pool's group up in Auto Scaling: one filtered Describe (design: fleets are declared by tags). */
export async function findFleet(groups: Groups, poolId: string): Promise<FoundFleet> {
  const found = poolId.length > longestPoolId ? [] : await groups.tagged(zoomiesPoolTag + poolId);
  const [group] = found;
  if (group === undefined) {
    const message = `No Auto Scaling group of this stack carries the tag ${zoomiesPoolTag}${poolId}. Tag the group that serves it.`;
    return { refusal: { status: 404, code: "pool_not_served", message } };
  }
  if (found.length > 1) {
    const names = found.map(({ name }) => name).sort();
    const message = `Pool ${poolId} is tagged on ${names.join(" and ")}. Leave ${zoomiesPoolTag}${poolId} on one of them.`;
    return { refusal: { status: 422, code: "pool_served_twice", message } };
  }
  const { fleet, findings } = zoomiesFleet(group);
  if (fleet === undefined) {
    const message = findings.map((finding) => `${finding.message} ${finding.fix}`).join(" ");
    return { refusal: { status: 422, code: "bad_tags", message } };
  }
  return { group, fleet };
}
