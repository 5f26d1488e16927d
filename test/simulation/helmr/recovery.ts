import type { Scene } from "./scene.ts";

/** Whether demand is met and every group is back at its minimum, with nothing under way. */
export const isSettled = (scene: Scene): boolean => notSettled(scene).length === 0;

/** What is still open once everything has been well for long enough. */
export function notSettled({ groups, cloud, model }: Scene): string[] {
  const open: string[] = [];
  for (const { name, group, workload, pools } of groups) {
    if (workload.waiting > 0) open.push(`demand is not met: ${workload.waiting} items wait in ${name}`);
    if (workload.running.size > 0) open.push(`${workload.running.size} items still run in ${name}`);
    const unsettled = model.unsettledOperations(group.id);
    if (unsettled.length > 0) open.push(`operations are not settled in ${name}: ${unsettled.join(" ")}`);
    for (const { autoScalingGroup } of pools) {
      const found = cloud.world.groups.get(autoScalingGroup);
      if (found === undefined) continue;
      const members = [...found.members.values()];
      if (found.desired > found.minSize) open.push(`${autoScalingGroup} is at ${found.desired}, not at its minimum`);
      if (members.length !== found.desired || members.some(({ state }) => state !== "InService")) {
        open.push(`${autoScalingGroup} has ${members.map(({ state }) => state).join(" ")} for ${found.desired}`);
      }
    }
    for (const host of model.region.hosts.values()) {
      const isGone = (cloud.world.instances.get(host.resourceId)?.state ?? "terminated") === "terminated";
      const isHeld = host.status !== "lost" && host.status !== "termination_ready";
      if (host.groupId === group.id && isGone && isHeld)
        open.push(`${host.resourceId} is gone and its host ${host.status}`);
    }
  }
  return open;
}
