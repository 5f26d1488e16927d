import type { ZoomiesFleet } from "../fleets.ts";
import { launchHook } from "../launch-hook.ts";

/** A pool of the local Zoomies, and how hosts of the group that serves it answer its selector. */
export type LocalPool = { id: string; name: string; selector: Readonly<Record<string, string>> };

/** The pools of `npm start`; ids have the real shape, `pool_` and 13 characters. */
export const linuxPool: LocalPool = { id: "pool_k5v3mq7xw2rat", name: "linux", selector: { arch: "amd64" } };
export const armPool: LocalPool = { id: "pool_t6n2gy4hbqv7s", name: "linux-arm", selector: { arch: "arm64" } };

/** A host that has nothing to do for a minute leaves; two may leave at once. */
const leaving = { "drover:scale-in": "verified", "drover:idle-minutes": "1", "drover:max-drains": "2" };
const hooks = [launchHook];

/** The groups of `npm start`, with the tags that an operator would set. */
export const localFleets: readonly (ZoomiesFleet & { hostLabels: Readonly<Record<string, string>> })[] = [
  {
    name: "zoomies-linux",
    pools: [linuxPool.id],
    slotsPerHost: 4,
    maxSize: 6,
    group: { hooks },
    tags: {
      ...leaving,
      [`drover:zoomies-pool/${linuxPool.id}`]: linuxPool.name,
      ...selectorTags({ os: "linux", arch: "amd64", zone: "eu-west-1" }),
    },
    hostLabels: { os: "linux", arch: "amd64", zone: "eu-west-1" },
  },
  {
    name: "zoomies-arm",
    pools: [armPool.id],
    slotsPerHost: 2,
    maxSize: 4,
    group: { hooks },
    tags: {
      ...leaving,
      [`drover:zoomies-pool/${armPool.id}`]: armPool.name,
      ...selectorTags({ os: "linux", arch: "arm64", zone: "eu-west-1" }),
    },
    hostLabels: { os: "linux", arch: "arm64", zone: "eu-west-1" },
  },
];

function selectorTags(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [`drover:host-selector/${key}`, value]));
}
