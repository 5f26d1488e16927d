import { ControlPlaneUnauthorized, ControlPlaneUnreachable } from "../../../../lib/helmr/control-plane.ts";
import { simulatedSettings } from "../invocations.ts";
import type { Scene, ServedGroup } from "../scene.ts";
import { type AwsCall, type HelmrCall, isAwsMutation, type Witness } from "../witness.ts";

/** The flag is read before each request, which then needs its own time. */
const pauseLagMs = 6_000;

/**
 * What holds for every mutation at the provider: the sender holds the Worker group's lease for long enough, sends one a
 * cycle, has heard nothing but answers from the Control Plane since the cycle began, and is not paused.
 */
export function mutations(scene: Scene): Witness & { paused(name: string, since: number | undefined): void } {
  const { time, table, groups, model } = scene;
  /** By invocation and Worker group. */
  const sentInCycle = new Map<string, number>();
  const lastOutcome = new Map<string, string>();
  const pausedSince = new Map<string, number>();

  return {
    helmrSent(call) {
      const served = groupOf(call);
      if (served === undefined) return;
      if (call.method === "resolveGroup") sentInCycle.set(`${call.life.name} ${served.name}`, 0);
      pauseHolds(served, `a request ${call.method}`);
    },
    helmrHeard(call, outcome) {
      const served = groupOf(call);
      if (served === undefined) return;
      const error = "error" in outcome ? outcome.error : undefined;
      const isSilent = error instanceof ControlPlaneUnreachable || error instanceof ControlPlaneUnauthorized;
      lastOutcome.set(`${call.life.name} ${served.name}`, isSilent ? (error as Error).name : "answer");
    },
    awsSent(call) {
      const served = isAwsMutation(call) ? workerGroupOf(call) : undefined;
      if (served === undefined) return;
      const { life, name } = call;
      const key = `${life.name} ${served.name}`;
      scene.tell(`${life.name} sends ${name} ${JSON.stringify(call.input)}`);
      const count = (sentInCycle.get(key) ?? 0) + 1;
      sentInCycle.set(key, count);
      if (count > 1) scene.found("two provider mutations in one cycle", `${name} in ${served.name}`);
      const last = lastOutcome.get(key);
      if (last !== "answer") scene.found("changed AWS without the Control Plane", `${name} after ${last ?? "nothing"}`);
      pauseHolds(served, name);
      void table.get([{ pk: `lease#helmr#${served.name}`, sk: "lease" }]).then(([item]) => {
        const lease = JSON.parse(item?.body ?? "{}") as { owner?: string; until?: number };
        const isOwn = lease.owner?.startsWith(`${life.name}.`) === true;
        const rest = (lease.until ?? 0) - time.now();
        if (!isOwn || rest < simulatedSettings.mutationTimeoutMs) {
          scene.found("mutation without the lease", `${name} by ${life.name}, held by ${lease.owner} for ${rest} ms`);
        }
      });
    },
    /** Told by the operator that pauses and resumes. */
    paused(name, since) {
      if (since === undefined) pausedSince.delete(name);
      else pausedSince.set(name, since);
    },
  };

  function pauseHolds(served: ServedGroup, what: string): void {
    const since = pausedSince.get(served.name);
    if (since !== undefined && time.now() - since > pauseLagMs)
      scene.found("acted while paused", `${what} in ${served.name}`);
  }

  function groupOf({ method, args }: HelmrCall): ServedGroup | undefined {
    const [first, second] = args;
    if (method === "resolveGroup") return groups.find(({ name }) => name === second);
    const id = typeof first === "string" ? (model.region.hosts.get(first)?.groupId ?? first) : undefined;
    return groups.find(({ group }) => group.id === id);
  }

  function workerGroupOf({ input }: AwsCall): ServedGroup | undefined {
    const name = input["AutoScalingGroupName"] ?? scene.cloud.world.instances.get(String(input["InstanceId"]))?.group;
    return groups.find(({ pools }) => pools.some(({ autoScalingGroup }) => autoScalingGroup === name));
  }
}
