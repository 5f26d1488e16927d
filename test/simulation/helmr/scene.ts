import type { GroupSpec } from "../../../infra/local/aws/auto-scaling/group-spec.ts";
import { type Cloud, createCloud } from "../../../infra/local/aws/cloud.ts";
import { bindCloud } from "../../../infra/local/helmr/cloud-binding.ts";
import { ControlPlaneModel } from "../../../infra/local/helmr/model/control-plane-model.ts";
import type { Group } from "../../../infra/local/helmr/model/state.ts";
import { createUpdateFeed, type UpdateFeed } from "../../../infra/local/helmr/update-feed.ts";
import { createWorkers, type WorkerFate, type Workers } from "../../../infra/local/helmr/workers.ts";
import { createWorkload, type Workload } from "../../../infra/local/helmr/workload.ts";
import { MemoryTable } from "../../ledger/memory-table.ts";
import type { Chance } from "../chance.ts";
import type { Stage } from "../runner.ts";
import type { VirtualTime } from "../virtual-time.ts";
import { drawSetting, type PoolSetting, type Setting, template } from "./setting.ts";

export const stack = "simulated";
export const regionId = "aws-eu-central-1";

export interface ServedGroup {
  readonly name: string;
  readonly group: Group;
  readonly workload: Workload;
  readonly pools: readonly PoolSetting[];
}

/** What is there in one play besides our own code: AWS, Helmr with its workers and callers, the ledger, and how well they are. */
export interface Scene {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly setting: Setting;
  readonly cloud: Cloud;
  readonly model: ControlPlaneModel;
  readonly workers: Workers;
  readonly feed: UpdateFeed;
  readonly groups: readonly ServedGroup[];
  readonly table: MemoryTable;
  /** What the function finds in Secrets Manager; the Control Plane may already accept another one. */
  readonly secret: { token: string };
  /** Whether the function's token is not the one that the Control Plane accepts. */
  isTokenStale(): boolean;
  /** What the Control Plane accepts. */
  accepted: string;
  /** Whether the Control Plane cannot be reached at all. */
  isDown: boolean;
  /** Whether things still go wrong; nothing does once everything is well again. */
  isTroubled: boolean;
  /** When people last wrote a group's sizes, by Auto Scaling group. */
  readonly touched: Map<string, number>;
  /** Notes a broken rule; the play ends with it. */
  found(rule: string, what: string): void;
  tell(line: string): void;
}

export function buildScene(
  { time, chance, tell }: Stage,
  found: Scene["found"],
  setting: Setting = drawSetting(chance.fork()),
): Scene {
  const random = chance.fork().random;
  const cloud = createCloud({
    clock: time,
    random,
    timings: { decide: [1, 4], boot: [10, 25], enterService: [1, 8], shutdown: [10, 40], healthCheck: [10, 40] },
  });
  time.follow(cloud);
  const token = "simulated-0";
  // A worker's events happen at their own instant (Agenda), so Helmr reads the cloud's clock.
  const clock = { now: () => cloud.world.now() };
  const model = new ControlPlaneModel({ clock, random: chance.fork().random, token, ...setting.model });
  const fates = chance.fork();
  const scene: Pick<Scene, "isTroubled"> = { isTroubled: true };
  const workers = createWorkers({
    model,
    agenda: cloud,
    random,
    timings: { bootMs: [15_000, 45_000] },
    fate: () => drawFate(fates, scene.isTroubled && areSealed(model) ? setting.accidents : 0),
  });
  const groups = setting.groups.map(({ name, pools }) => {
    const group = model.addGroup(name, regionId);
    for (const pool of pools) {
      model.addPool(group.id, pool.name);
      workers.serve(pool.autoScalingGroup, { groupId: group.id, poolName: pool.name, template });
      cloud.createGroup(pool.autoScalingGroup, groupSpec(name, pool));
    }
    const shape = {
      pauseMs: 40_000,
      quietMs: 200_000,
      quietShare: 0.1,
      burstMost: 8,
      longMs: [120_000, 400_000],
    } as const;
    const workload = createWorkload({
      model,
      workers,
      agenda: cloud,
      random: chance.fork().random,
      groupId: group.id,
      shape,
    });
    return { name, group, workload, pools };
  });
  bindCloud(cloud, workers);
  const settle = () => {
    model.settle();
    cloud.at(cloud.world.now() + 5_000, settle);
  };
  settle();
  const feed = createUpdateFeed(model);
  const table = new MemoryTable();
  const secret = { token };
  const isTokenStale = () => secret.token !== (scene as Scene).accepted;
  const rest = { time, chance: chance.fork(), setting, cloud, model, workers, feed, groups, table, found, tell };
  return Object.assign(scene, {
    ...rest,
    secret,
    isTokenStale,
    accepted: token,
    isDown: false,
    touched: new Map<string, number>(),
  });
}

/** A group as design.md wants it to be for scale-in. */
export function groupSpec(workerGroup: string, pool: PoolSetting): GroupSpec {
  const policy = Object.entries(pool.policy ?? {}).map(([field, value]) => [
    `drover:helmr-policy/${field}`,
    String(value),
  ]);
  return {
    minSize: pool.min,
    maxSize: pool.max,
    newInstancesProtected: true,
    suspended: ["AZRebalance"],
    hooks: pool.hooked
      ? [{ name: "drain", transition: "terminating", heartbeatTimeout: 300, defaultResult: "CONTINUE" }]
      : [],
    tags: {
      "drover:stack": stack,
      "drover:helmr-group": workerGroup,
      "drover:helmr-pool": pool.name,
      "drover:scale-in": "verified",
      "drover:idle-minutes": String(pool.idleMinutes),
      "drover:drain-minutes": "5",
      ...(pool.step === undefined ? {} : { "drover:max-launch-step": String(pool.step) }),
      ...(pool.primaryMinimum === undefined ? {} : { "drover:helmr-primary": String(pool.primaryMinimum) }),
      ...Object.fromEntries(policy),
    },
  };
}

/** A pool's first host decides what its later ones have to be like: it is a good one. */
function areSealed({ region }: ControlPlaneModel): boolean {
  const pools = [...region.groups.values()].flatMap((group) => [...group.pools.values()]);
  return pools.every(({ template: seal }) => seal !== undefined);
}

function drawFate(chance: Chance, accidents: number): WorkerFate {
  if (!chance.is(accidents / 4)) return { kind: "healthy" };
  return chance.pick<WorkerFate>([
    { kind: "never-registers" },
    { kind: "other-machine", template: { ...template, platform: "firecracker/arm64" } },
    { kind: "crashes", afterMs: chance.whole(1_000, 400_000), restarts: true },
    { kind: "crashes", afterMs: chance.whole(1_000, 400_000), restarts: false },
  ]);
}
