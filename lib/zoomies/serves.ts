import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { Refusal } from "../edge/http-answer.ts";
import type { CapacityEvent } from "./event.ts";

type Wanted = Pick<CapacityEvent, "poolId" | "backend" | "hostSelector">;

/**
 * Why hosts of this group could never run the pool's jobs, or undefined when they can. Buying would not help then, and
 * the demand would repeat for ever: refuse (the contract; zoomies-notes 3, trap 5).
 */
export function whyNotServed(fleet: ZoomiesFleet, { poolId, backend, hostSelector }: Wanted): Refusal | undefined {
  if (backend !== fleet.backend) {
    const message =
      `Pool ${poolId} wants the ${backend} backend, and hosts of ${fleet.group} provide ${fleet.backend}. ` +
      "Set drover:zoomies-backend if that is wrong, or serve the pool from another group.";
    return { status: 422, code: "backend_not_served", message };
  }
  for (const [key, wanted] of Object.entries(hostSelector)) {
    const answered = Object.hasOwn(fleet.selector, key) ? fleet.selector[key] : undefined;
    if (answered === wanted) continue;
    const has = answered === undefined ? "say nothing of it" : `answer ${answered}`;
    const message =
      `Pool ${poolId} selects hosts with ${key}=${wanted}, and hosts of ${fleet.group} ${has}. ` +
      `Set drover:host-selector/${key} on the group if its hosts do provide that.`;
    return { status: 422, code: "selector_not_served", message };
  }
  return undefined;
}
