import type { World } from "../world.ts";
import type { Group } from "./group.ts";

/** Plans the group's next look at itself, a moment from now; several wishes become one look. */
export function wake(world: World, group: Group): void {
  if (group.awake) return;
  group.awake = true;
  world.after("decide", () => look(world, group));
}

/** Plans a look at a later instant, beside any that comes sooner. */
export function wakeAt(world: World, group: Group, time: number): void {
  world.at(time, () => look(world, group));
}

function look(world: World, group: Group): void {
  group.awake = false;
  if (world.groups.get(group.name) === group) world.groupActs(group);
}
