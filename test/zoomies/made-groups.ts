import type { Group } from "../../lib/capacity/group.ts";

/** A group that is safe to grow and serves pool_a to pool_d with 4 slots a host. */
export function makeGroup(more: Partial<Group> = {}): Group {
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
    ...more,
    tags: {
      "drover:stack": "prod",
      "drover:slots-per-host": "4",
      "drover:zoomies-pool/pool_a": "a",
      "drover:zoomies-pool/pool_b": "b",
      "drover:zoomies-pool/pool_c": "c",
      "drover:zoomies-pool/pool_d": "d",
      ...more.tags,
    },
  };
}
