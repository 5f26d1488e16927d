import type { Group } from "../../lib/capacity/group.ts";

/** A group that is safe to grow, with exactly these tags beside its stack's. */
export function makeGroup(tags: Record<string, string> = {}, more: Partial<Group> = {}): Group {
  return {
    name: "builders",
    min: 0,
    max: 20,
    desired: 2,
    suspended: [],
    newInstancesProtected: true,
    capacityRebalance: false,
    maxInstanceLifetimeSeconds: 0,
    weighted: false,
    hasWarmPool: false,
    warmPoolReuses: false,
    beingDeleted: false,
    instances: [],
    tags: { "drover:stack": "prod", ...tags },
    ...more,
  };
}
