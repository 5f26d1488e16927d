import type { ScheduledUpdateGroupAction } from "@aws-sdk/client-auto-scaling";
import type { World } from "../world.ts";
import { type Group, isSuspended } from "./group.ts";
import { changeDesired } from "./set-desired-capacity.ts";

/** Plans the group's one-off actions for their start; recurring ones are only shown. */
export function planScheduledActions(world: World, group: Group): void {
  for (const action of group.scheduledActions) {
    const start = action.StartTime?.getTime();
    if (start === undefined || start < world.now() || action.Recurrence !== undefined) continue;
    world.at(start, () => {
      if (group.scheduledActions.includes(action)) take(world, group, action);
    });
  }
}

function take(world: World, group: Group, action: ScheduledUpdateGroupAction): void {
  if (group.deleting || isSuspended(group, "ScheduledActions")) return;
  group.scheduledActions = group.scheduledActions.filter((other) => other !== action);
  group.minSize = action.MinSize ?? group.minSize;
  group.maxSize = action.MaxSize ?? group.maxSize;
  world.groupViews.changed(group.name);
  const wanted = Math.min(group.maxSize, Math.max(group.minSize, action.DesiredCapacity ?? group.desired));
  changeDesired(world, group, wanted, action.ScheduledActionName ?? "scheduled action", "ExecuteScheduledAction");
}
