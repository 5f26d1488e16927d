import { sealPool } from "../../infra/local/helmr/model/seal.ts";
import type { Host } from "../../infra/local/helmr/model/state.ts";
import { type HelmrPeer, startHelmr } from "../../infra/local/helmr/peer.ts";
import { template, token } from "../contract/helmr/setting.ts";
import type { TestWorld, TestWorldOptions } from "../world.ts";

const autoScalingGroup = "helmr-general";

/** A Control Plane beside the cloud, its one pool sealed: what a world's option `helmr` starts. */
export interface HelmrBeside {
  readonly helmr: NonNullable<TestWorldOptions["helmr"]>;
  /** There once the world is. */
  peer(): HelmrPeer;
  /** The pool's hosts, the newest row of each instance. */
  hosts(): Host[];
  hostOf(instance: string): Host | undefined;
  /** So many minutes of a reconciler on ticks: four cycles in each. */
  minutes(world: TestWorld, count: number): Promise<void>;
}

export const helmrGroup = autoScalingGroup;

export function helmrBeside(hosts: number, tags: Readonly<Record<string, string>> = {}): HelmrBeside {
  let peer: HelmrPeer | undefined;
  const there = (): HelmrPeer => {
    if (peer === undefined) throw new Error("The world has not started.");
    return peer;
  };
  const rows = () => [...there().model.region.hosts.values()];
  return {
    async helmr(cloud, stack) {
      const regionId = "aws-eu-west-1";
      const fleets = [{ group: "default", pool: "general", autoScalingGroup, template }];
      const workerTimings = { bootMs: [1_000, 2_000] } as const;
      peer = await startHelmr({ cloud, random: Math.random, token, regionId, fleets, workerTimings });
      const pool = [...(peer.groups.get("default")?.group.pools.values() ?? [])][0];
      if (pool !== undefined) sealPool(peer.model.region, pool, template);
      cloud.createGroup(autoScalingGroup, {
        minSize: 1,
        maxSize: 4,
        desired: hosts,
        newInstancesProtected: true,
        suspended: ["AZRebalance"],
        tags: {
          "drover:stack": stack,
          "drover:helmr-group": "default",
          "drover:helmr-pool": "general",
          "drover:scale-in": "verified",
          "drover:idle-minutes": "2",
          ...tags,
        },
      });
      return { url: peer.server.url, regionId, token, close: () => there().close() };
    },
    peer: there,
    hosts: rows,
    hostOf: (instance) => rows().find(({ resourceId }) => resourceId === instance),
    async minutes(world, count) {
      for (let minute = 0; minute < count; minute += 1) {
        world.queues.fireSchedules();
        for (let tick = 0; tick < 4; tick += 1) {
          await world.queues.deliver();
          for (let second = 0; second < 15; second += 1) world.advance(1_000);
        }
      }
    },
  };
}
