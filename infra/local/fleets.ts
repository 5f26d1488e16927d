import type { GroupSpec } from "./aws/auto-scaling/group-spec.ts";

/** One Auto Scaling group that serves Zoomies pools, as an operator would declare it. */
export type ZoomiesFleet = {
  name: string;
  /** Pool ids. */
  pools: readonly string[];
  slotsPerHost: number;
  minSize?: number;
  maxSize?: number;
  desired?: number;
  /** More tags, or other values for those that follow from the rest. */
  tags?: Readonly<Record<string, string>>;
  /** Anything else about the group. */
  group?: GroupSpec;
};

/** The group with the tags of the design ("Fleets are declared by tags"), safe to grow: protected, zones not rebalanced. */
export function groupOf(fleet: ZoomiesFleet, stack: string): GroupSpec {
  const {
    name: _name,
    pools,
    slotsPerHost,
    minSize = 0,
    maxSize = 10,
    desired = minSize,
    tags = {},
    group = {},
  } = fleet;
  return {
    minSize,
    maxSize,
    desired,
    newInstancesProtected: true,
    suspended: ["AZRebalance"],
    ...group,
    tags: {
      "drover:stack": stack,
      "drover:slots-per-host": String(slotsPerHost),
      ...Object.fromEntries(pools.map((pool) => [`drover:zoomies-pool/${pool}`, pool])),
      ...tags,
    },
  };
}
