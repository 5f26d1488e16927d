import type { CloudEvent } from "../../../../infra/local/aws/cloud-events.ts";
import type { Host } from "../../../../infra/local/helmr/model/state.ts";
import type { Scene } from "../scene.ts";
import type { Witness } from "../witness.ts";

/** Whether the caller is one of our invocations. */
export const isOurs = (actor: string): boolean => actor.startsWith("drover-");

/** The newest row of an instance, in whatever Worker group. */
export function rowsOf({ groups }: Scene, instance: string): readonly Host[] {
  return groups.flatMap(({ group }) => group.rows.get(instance) ?? []).sort((a, b) => a.createdAt - b.createdAt);
}

/**
 * No instance is ended without a host that is termination_ready on exactly it, nor against its receipt; desired capacity
 * goes down once with it, and not at all for a replacement; and no work is cut off by us.
 */
export function terminations(scene: Scene): Witness & { broken(): void } {
  const { cloud, model, time } = scene;
  const lastProof = new Map<string, number>();
  const ended = new Set<string>();
  const decremented = new Set<string>();
  let cutOffs = 0;

  cloud.on((event) => {
    if ("actor" in event && isOurs(event.actor) && isEnd(event)) check(event.instanceId, event.actor);
  });

  function check(instance: string, actor: string): void {
    ended.add(instance);
    const rows = rowsOf(scene, instance);
    const proofAt = lastProof.get(`${actor} ${instance}`) ?? Number.NEGATIVE_INFINITY;
    // A worker that enrols anew after everything was read, and before the request landed, could not be seen.
    const host = rows.findLast((row) => row.createdAt <= proofAt) ?? rows.at(-1);
    if (host?.status !== "termination_ready") {
      scene.found("terminated without termination_ready", `${instance} (${host?.status ?? "no host"}) by ${actor}`);
      return;
    }
    const receipts = [...(model.region.receipts.get(host.groupId)?.values() ?? [])];
    const receipt = receipts.find((each) => each.hostId === host.id);
    if (receipt === undefined) return;
    const matches = receipt.phase === "termination_ready" && receipt.epoch === host.epoch;
    if (!matches) scene.found("terminated against its receipt", `${instance}, receipt is ${receipt.phase}`);
  }

  return {
    helmrHeard({ life, method, args }, outcome) {
      if (method !== "host" || !("answer" in outcome)) return;
      const instance = model.region.hosts.get(String(args[0]))?.resourceId;
      if (instance !== undefined) lastProof.set(`${life.name} ${instance}`, time.now());
    },
    awsSent({ name, input }) {
      if (name !== "TerminateInstanceInAutoScalingGroupCommand") return;
      const instance = String(input["InstanceId"]);
      const reason = rowsOf(scene, instance).findLast((row) => row.status === "termination_ready")?.drainReason;
      const isDecrement = input["ShouldDecrementDesiredCapacity"] === true;
      if (reason !== undefined && isDecrement === (reason === "replacement")) {
        scene.found("wrong decrement", `${instance} drained for ${reason}, decrement ${isDecrement}`);
      }
    },
    awsServed({ name, input }) {
      const isDecrement = input["ShouldDecrementDesiredCapacity"] === true;
      if (name !== "TerminateInstanceInAutoScalingGroupCommand" || !isDecrement) return;
      const instance = String(input["InstanceId"]);
      if (decremented.has(instance)) scene.found("desired lowered twice for one instance", instance);
      decremented.add(instance);
    },
    broken() {
      const all = scene.groups.flatMap(({ workload }) => workload.cutOff);
      for (const { instanceId, itemId } of all.slice(cutOffs)) {
        if (ended.has(instanceId)) scene.found("work cut off by us", `${itemId} on ${instanceId}`);
      }
      cutOffs = all.length;
    },
  };
}

function isEnd(event: CloudEvent): event is CloudEvent & { instanceId: string; actor: string } {
  if (event.type === "member-state") return event.to === "Terminating";
  if (event.type !== "lifecycle-hook") return false;
  const isAnswer = event.outcome === "CONTINUE" || event.outcome === "ABANDON";
  return isAnswer && event.transition === "autoscaling:EC2_INSTANCE_TERMINATING";
}
