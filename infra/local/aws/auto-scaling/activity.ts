import type { Activity as ActivityShape, ScalingActivityStatusCode } from "@aws-sdk/client-auto-scaling";
import type { World } from "../world.ts";
import type { Group } from "./group.ts";

export interface Activity {
  readonly id: string;
  /** Counts up within the group. */
  readonly sequence: number;
  readonly startedAt: number;
  readonly description: string;
  readonly cause: string;
  readonly zone?: string;
  status: ScalingActivityStatusCode;
  message?: string;
  progress: number;
  endedAt?: number;
}

/** AWS keeps activities for six weeks; a world keeps a bounded number. */
const KEPT = 300;

export function startActivity(
  world: World,
  group: Group,
  about: { description: string; cause: string; zone?: string; status?: ScalingActivityStatusCode },
): Activity {
  const id = world.newUuid();
  const sequence = (group.activities.at(-1)?.sequence ?? 0) + 1;
  const activity: Activity = { id, sequence, startedAt: world.now(), status: "InProgress", progress: 50, ...about };
  group.activities.push(activity);
  if (group.activities.length > KEPT) group.activities.shift();
  announce(world, group, activity);
  return activity;
}

export function moveActivity(
  world: World,
  group: Group,
  activity: Activity | undefined,
  status: ScalingActivityStatusCode,
  message?: string,
): void {
  if (activity === undefined || activity.endedAt !== undefined || activity.status === status) return;
  activity.status = status;
  if (message !== undefined) activity.message = message;
  if (status === "Successful" || status === "Failed" || status === "Cancelled") {
    activity.progress = 100;
    activity.endedAt = world.now();
  }
  announce(world, group, activity);
}

export function activityShape(group: Group, activity: Activity): ActivityShape {
  return {
    ActivityId: activity.id,
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: group.arn,
    Description: activity.description,
    Cause: activity.cause,
    StartTime: new Date(activity.startedAt),
    StatusCode: activity.status,
    Progress: activity.progress,
    Details: JSON.stringify(activity.zone === undefined ? {} : { "Availability Zone": activity.zone }),
    ...(activity.message === undefined ? {} : { StatusMessage: activity.message }),
    ...(activity.endedAt === undefined ? {} : { EndTime: new Date(activity.endedAt) }),
  };
}

function announce(world: World, group: Group, activity: Activity): void {
  world.emit({
    type: "scaling-activity",
    group: group.name,
    activityId: activity.id,
    status: activity.status,
    description: activity.message ? `${activity.description}: ${activity.message}` : activity.description,
  });
}
