import type { Ec2Instance } from "../ec2/instance.ts";
import { drawMs } from "../timings.ts";
import type { World } from "../world.ts";
import { bootedMember } from "./joining.ts";
import { leave } from "./leaving.ts";
import { wakeAt } from "./wake.ts";

/** How a group hears of its instance: a boot at once, an end that it ordered at once, any other loss by its next health check. */
export function instanceChanged(world: World, instance: Ec2Instance): void {
  const group = instance.group === undefined ? undefined : world.groups.get(instance.group);
  const member = group?.members.get(instance.id);
  if (group === undefined || member === undefined) return;
  if (instance.state === "running") {
    bootedMember(world, group, member);
  } else if (instance.state === "terminated" && isOrderedEnd(member.state)) {
    leave(world, group, member);
  } else if (!member.state.startsWith("Terminating")) {
    wakeAt(world, group, world.now() + drawMs(world.timings.healthCheck, world.random));
  }
}

/** A hook that still holds a member whose machine is gone keeps its place in the group until the hook ends. */
function isOrderedEnd(state: string): boolean {
  return state === "Terminating" || state === "Terminating:Proceed";
}
