import { drawMs } from "../timings.ts";
import type { World } from "../world.ts";
import { moveActivity, startActivity } from "./activity.ts";
import { type Group, isSuspended, type Member, unitsOf } from "./group.ts";
import { judgeHealth } from "./health.ts";
import { launchMember } from "./launching.ts";
import { endMember } from "./leaving.ts";
import { chooseVictim } from "./victims.ts";
import { wake, wakeAt } from "./wake.ts";
import { isUnbalanced } from "./zones.ts";

/** The group's look at itself: replace what is unhealthy, launch what is missing, end what is too much, even out the zones. */
export function groupActs(world: World, group: Group): void {
  if (group.deleting) return;
  judgeHealth(world, group);
  const units = unitsOf(group);
  if (units < group.desired) launchMissing(world, group);
  else if (units > group.desired) endSurplus(world, group);
  else evenOut(world, group);
}

function launchMissing(world: World, group: Group): void {
  if (isSuspended(group, "Launch") || world.now() < group.launchNotBefore) return;
  const at = stamp(world);
  const units = unitsOf(group);
  const cause = `At ${at} an instance was started in response to a difference between desired and actual capacity, increasing the capacity from ${units} to ${group.desired}.`;
  while (unitsOf(group) < group.desired) {
    if (launchMember(world, group, cause)) continue;
    const first = drawMs(world.timings.launchRetry, world.random);
    const pause = first * 2 ** (group.launchFailures - 1);
    group.launchNotBefore = world.now() + Math.min(pause, drawMs(world.timings.launchRetryLimit, world.random));
    wakeAt(world, group, group.launchNotBefore);
    return;
  }
}

function endSurplus(world: World, group: Group): void {
  // The extra instance of a rebalancing must serve before one in the fuller zone goes.
  const pending = [...group.members.values()].some((member) => member.state.startsWith("Pending"));
  if (group.rebalancing && pending) return;
  group.rebalancing = false;
  for (let units = unitsOf(group); units > group.desired; units = unitsOf(group)) {
    const victim = chooseVictim(group, world.now());
    if (victim === undefined) reportProtected(world, group);
    if (victim === undefined || units - victim.weight < group.desired) return;
    const at = stamp(world);
    endMember(world, group, victim, {
      reason: "a difference between desired and actual capacity",
      cause: `At ${at} an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from ${units} to ${group.desired}. At ${at} instance ${victim.instanceId} was selected for termination.`,
    });
  }
}

/** Capacity Rebalancing: a replacement for an instance at risk comes first, beyond the desired capacity; then that one goes. */
export function replaceAtRisk(world: World, group: Group, member: Member): void {
  if (!group.capacityRebalance || isSuspended(group, "Launch") || member.state !== "InService") return;
  member.atRisk = true;
  group.rebalancing = launchMember(
    world,
    group,
    `At ${stamp(world)} an instance was launched in response to an EC2 instance rebalance recommendation.`,
  );
  if (!group.rebalancing) delete member.atRisk;
}

/** The history says once that nothing could be ended; the desired capacity stays lowered all the same. */
function reportProtected(world: World, group: Group): void {
  const description =
    "Could not scale to desired capacity because all remaining instances are protected from scale-in.";
  if (isSuspended(group, "Terminate") || group.activities.at(-1)?.description === description) return;
  const activity = startActivity(world, group, { description, cause: description });
  moveActivity(world, group, activity, "Cancelled");
}

function evenOut(world: World, group: Group): void {
  group.rebalancing = false;
  if (isSuspended(group, "AZRebalance") || isSuspended(group, "Launch") || !isUnbalanced(world, group)) return;
  const settled = [...group.members.values()].every((member) => member.state === "InService");
  if (!settled || world.now() < group.launchNotBefore) return;
  const cause = `At ${stamp(world)} an instance was launched to balance instances in the group's Availability Zones.`;
  group.rebalancing = launchMember(world, group, cause);
  if (group.rebalancing) wake(world, group);
}

function stamp(world: World): string {
  return `${new Date(world.now()).toISOString().slice(0, 19)}Z`;
}
