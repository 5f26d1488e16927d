import { randomBytes } from "node:crypto";
import type { Cloud } from "../aws/cloud.ts";
import type { ModelEvent } from "../helmr/model/events.ts";
import { sealPool } from "../helmr/model/seal.ts";
import type { Template } from "../helmr/model/shape.ts";
import { type HelmrPeer, startHelmr } from "../helmr/peer.ts";
import type { Timeline } from "../timeline.ts";
import type { LocalHelmr } from "../world.ts";

/** The Worker group of `npm start`, and the Auto Scaling group that supplies its one pool. */
export const helmrFleet = { group: "default", pool: "general", autoScalingGroup: "helmr-general", maxSize: 4 } as const;

const regionId = "aws-eu-west-1";
/** Two of the workload's tasks fit one host. */
const template: Template = {
  cpu_millis: 2_000,
  memory_bytes: 8_000_000_000,
  disk_bytes: 40_000_000_000,
  vm_slots: 2,
  platform: "firecracker/x86_64",
};
/** Shorter than a real worker's, so that a person can watch. */
const workerTimings = { bootMs: [1_000, 3_000], activateMs: 500, observeMs: 5_000, drainPollMs: 1_000 } as const;
const taskMs = 30_000;
const tasks = 5;
/** The first look of the reconciler has been by then. */
const firstTasksMs = 15_000;

/** A Helmr beside the world's cloud, whose pool grows from zero for its tasks and goes back to zero without them. */
export async function startLocalHelmr(cloud: Cloud, stack: string, lines: Timeline): Promise<LocalHelmr> {
  const token = randomBytes(32).toString("base64url");
  const fleets = [{ ...helmrFleet, template }];
  const peer = await startHelmr({ cloud, random: Math.random, token, regionId, fleets, workerTimings });
  const served = servedGroup(peer);
  // As if it had had hosts before: a pool that never had one must be seeded by a MinSize of 1 (helmr-notes 2.5).
  sealPool(peer.model.region, served.pool, template);
  cloud.createGroup(helmrFleet.autoScalingGroup, {
    minSize: 0,
    maxSize: helmrFleet.maxSize,
    newInstancesProtected: true,
    suspended: ["AZRebalance"],
    tags: {
      "drover:stack": stack,
      "drover:helmr-group": helmrFleet.group,
      "drover:helmr-pool": helmrFleet.pool,
      "drover:scale-in": "verified",
      "drover:idle-minutes": "1",
    },
  });
  const unlisten = peer.model.on((event) => {
    const text = spoken(event);
    if (text !== undefined) lines.add({ source: "helmr", text });
  });
  const firstTasks = setTimeout(() => {
    lines.add({ source: "helmr", text: `${tasks} tasks are queued for pool ${helmrFleet.pool}` });
    for (let task = 0; task < tasks; task += 1) served.workload.submit({ kind: "build", durationMs: taskMs });
  }, firstTasksMs);
  return {
    url: peer.server.url,
    regionId,
    token,
    async close() {
      clearTimeout(firstTasks);
      unlisten();
      await peer.close();
    },
  };
}

function servedGroup({ groups }: HelmrPeer) {
  const served = groups.get(helmrFleet.group);
  const pool = [...(served?.group.pools.values() ?? [])].find(({ name }) => name === helmrFleet.pool);
  if (served === undefined || pool === undefined) throw new Error("The local Helmr has no Worker group.");
  return { ...served, pool };
}

/** What an event of the Control Plane means for a reader. */
function spoken(event: ModelEvent): string | undefined {
  switch (event.type) {
    case "host":
      return `host ${event.resourceId} is ${event.to.replaceAll("_", " ")}`;
    case "placed":
      return `${event.itemId} runs on ${event.resourceId}`;
    case "receipt":
      return `scale-in of ${event.resourceId} is ${event.phase.replaceAll("_", " ")}`;
    case "interrupted":
      return `work on ${event.resourceId} is INTERRUPTED`;
    default:
      return undefined;
  }
}
