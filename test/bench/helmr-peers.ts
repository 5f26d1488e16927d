import { setTimeout as sleep } from "node:timers/promises";
import { createCloud } from "../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../infra/local/aws/faults.ts";
import { seededRandom } from "../../infra/local/aws/random.ts";
import { startAwsServer } from "../../infra/local/aws/server.ts";
import type { HelmrFaults } from "../../infra/local/helmr/faults.ts";
import { type HelmrPeer, startHelmr } from "../../infra/local/helmr/peer.ts";
import { template } from "../simulation/helmr/setting.ts";

export interface FleetSize {
  readonly workerGroups: number;
  /** In each Worker group. */
  readonly pools: number;
  /** In all. */
  readonly hosts: number;
}

/** Simulated AWS and a Control Plane on loopback ports, with fleets that are full of active hosts. */
export interface HelmrPeers {
  readonly aws: Faults;
  readonly helmr: HelmrFaults;
  /** What the function finds in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const region = "eu-central-1";
const regionId = "aws-eu-central-1";
const stack = "drover";
const token = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

export const workerGroupName = (index: number) => `group-${index}`;

export async function startHelmrPeers({ workerGroups, pools, hosts }: FleetSize): Promise<HelmrPeers> {
  const instant = { decide: 0, boot: 0, enterService: 0 };
  const cloud = createCloud({ clock: { now: Date.now }, timings: instant });
  const fleets = Array.from({ length: workerGroups * pools }, (_, index) => ({
    autoScalingGroup: `asg-${index}`,
    group: workerGroupName(Math.floor(index / pools)),
    pool: `pool-${index % pools}`,
    template,
    hosts: Math.ceil((hosts - index) / (workerGroups * pools)),
  }));
  const workerTimings = { bootMs: [0, 0], activateMs: 0 } as const;
  const peer = await startHelmr({ cloud, random: seededRandom(5), token, regionId, fleets, workerTimings });
  for (const fleet of fleets) {
    cloud.createGroup(fleet.autoScalingGroup, {
      minSize: 0,
      maxSize: fleet.hosts + 10,
      desired: fleet.hosts,
      newInstancesProtected: true,
      suspended: ["AZRebalance"],
      tags: {
        "drover:stack": stack,
        "drover:helmr-group": fleet.group,
        "drover:helmr-pool": fleet.pool,
        "drover:scale-in": "verified",
      },
    });
  }
  await allActive(peer, cloud.settle, hosts);
  const faults = createFaults();
  const aws = await startAwsServer({ cloud, faults });
  const settling = setInterval(cloud.settle, 1_000);
  return {
    aws: faults,
    helmr: peer.server.faults,
    environment: {
      DROVER_STACK: stack,
      DROVER_TABLE: "none",
      DROVER_HELMR_URL: peer.server.url,
      DROVER_HELMR_REGION_ID: regionId,
      DROVER_HELMR_SECRET: cloud.putSecret("capacity-token", token),
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: "bench",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_SESSION_TOKEN: "local",
      AWS_ENDPOINT_URL: aws.url,
    },
    async close() {
      clearInterval(settling);
      await peer.close();
      await aws.close();
    },
  };
}

async function allActive({ model }: HelmrPeer, settle: () => void, hosts: number): Promise<void> {
  for (let look = 0; look < 200; look += 1) {
    settle();
    let active = 0;
    for (const { status } of model.region.hosts.values()) if (status === "active") active += 1;
    if (active === hosts) return;
    await sleep(50);
  }
  throw new Error(`The ${hosts} hosts did not become active.`);
}
