import type { Cloud } from "../aws/cloud.ts";
import { bindCloud } from "./cloud-binding.ts";
import { ControlPlaneModel } from "./model/control-plane-model.ts";
import type { ModelOptions } from "./model/options.ts";
import type { Template } from "./model/shape.ts";
import type { Group } from "./model/state.ts";
import { type ControlPlaneServer, startControlPlane } from "./server.ts";
import type { WorkerTimings } from "./worker-timings.ts";
import { createWorkers, type Workers } from "./workers.ts";
import { createWorkload, type Workload } from "./workload.ts";

/** A pool of Worker hosts and the Auto Scaling group whose machines enrol in it. */
interface HelmrFleet {
  readonly autoScalingGroup: string;
  readonly group: string;
  readonly pool: string;
  readonly template: Template;
}

export interface HelmrPeerOptions {
  readonly cloud: Cloud;
  readonly random: () => number;
  readonly token: string;
  readonly regionId: string;
  readonly fleets: readonly HelmrFleet[];
  readonly port?: number;
  readonly workerTimings?: Partial<WorkerTimings>;
  readonly model?: Partial<Omit<ModelOptions, "clock" | "random" | "token">>;
}

/** A whole Helmr beside a simulated AWS: Control Plane over HTTP, workers on the machines, callers with work. */
export interface HelmrPeer {
  readonly model: ControlPlaneModel;
  readonly server: ControlPlaneServer;
  readonly workers: Workers;
  /** Worker groups and their callers by name. */
  readonly groups: ReadonlyMap<string, { readonly group: Group; readonly workload: Workload }>;
  close(): Promise<void>;
}

/** Starts it on the cloud's own time. Somebody has to let that time pass (`cloud.settle()`). */
export async function startHelmr(options: HelmrPeerOptions): Promise<HelmrPeer> {
  const { cloud, random, token, regionId, fleets, port = 0, workerTimings } = options;
  const model = new ControlPlaneModel({ ...options.model, clock: { now: () => cloud.world.now() }, random, token });
  const timings = workerTimings === undefined ? {} : { timings: workerTimings };
  const workers = createWorkers({ model, agenda: cloud, random, ...timings });
  const groups = new Map<string, { group: Group; workload: Workload }>();
  for (const fleet of fleets) {
    const known = groups.get(fleet.group);
    const group = known?.group ?? model.addGroup(fleet.group, regionId);
    if (known === undefined) {
      const workload = createWorkload({ model, workers, agenda: cloud, random, groupId: group.id });
      groups.set(fleet.group, { group, workload });
    }
    model.addPool(group.id, fleet.pool);
    workers.serve(fleet.autoScalingGroup, { groupId: group.id, poolName: fleet.pool, template: fleet.template });
  }
  const unbind = bindCloud(cloud, workers);
  const server = await startControlPlane({ model, port });
  return {
    model,
    server,
    workers,
    groups,
    async close() {
      unbind();
      for (const { workload } of groups.values()) workload.stop();
      await server.close();
    },
  };
}
