import type { Finding } from "./finding.ts";
import type { Group } from "./group.ts";
import type { ShrinkFacts } from "./shrink.ts";

/** What stands against raising a group (design: safe to grow). Empty means that nothing does. */
export function unsafeToGrow(group: Group): Finding[] {
  const { findings, find } = findingsOf(group);
  if (group.beingDeleted) {
    find("group_deleting", "The group is being deleted.", "Remove its drover: tags, or make a new group.");
  }
  if (group.suspended.includes("Launch")) {
    find("launch_suspended", "The group's Launch process is suspended.", "Resume Launch on the group.");
  }
  if (!group.newInstancesProtected) {
    const fix = "Set NewInstancesProtectedFromScaleIn on the group.";
    find("not_protected", "New instances are not protected from scale-in, so Auto Scaling may end busy hosts.", fix);
  }
  return findings;
}

/**
 * What stands against ending any instance of a group (design: safe to shrink), checked before a drain starts and again
 * before the terminate. `group` was described with its instances. Desired capacity at MinSize is no fault and no finding:
 * the caller counts.
 */
export function unsafeToShrink(group: Group, facts: ShrinkFacts): Finding[] {
  const { findings, find } = findingsOf(group);
  findings.push(...unsafeToGrow(group));
  if (group.suspended.includes("Terminate")) {
    find("terminate_suspended", "The group's Terminate process is suspended.", "Resume Terminate on the group.");
  }
  if (!group.suspended.includes("AZRebalance")) {
    const fix = "Suspend AZRebalance on the group.";
    find("az_rebalance_active", "AZRebalance is active and may end busy hosts after a scale-in (cases.md 42).", fix);
  }
  if (group.capacityRebalance) {
    const fix = "Turn CapacityRebalance off.";
    find("capacity_rebalance", "Capacity rebalancing replaces running spot instances by itself.", fix);
  }
  if (group.maxInstanceLifetimeSeconds > 0) {
    const fix = "Remove the maximum instance lifetime.";
    find("instance_lifetime", "The group ends instances by age, whatever runs on them.", fix);
  }
  if (group.warmPoolReuses) {
    const fix = "Set ReuseOnScaleIn of the warm pool to false.";
    find("warm_pool_reuses", "A scale-in would put the instance into the warm pool, still joined.", fix);
  }
  if (facts.activeRefreshes.length > 0) {
    const instances = group.instances.map(({ id }) => id).join(" ");
    const fix = `Let instance refresh ${facts.activeRefreshes.join(" ")} end, or cancel it.`;
    find("refresh_active", `An instance refresh is at work on ${instances} (cases.md 77).`, fix);
  }
  if (facts.activePolicies.length > 0) {
    const fix = `Delete or disable: ${facts.activePolicies.join(" ")}.`;
    find("scaling_policy", "A scaling policy moves desired capacity against Drover.", fix);
  }
  if (facts.scheduledActions.length > 0) {
    const fix = `Leave MinSize alone in, or delete: ${facts.scheduledActions.join(" ")}.`;
    find("scheduled_action", "A scheduled action sets desired capacity or MaxSize against Drover.", fix);
  }
  const strange = group.instances.filter(({ state }) => !understood.has(state));
  if (strange.length > 0) {
    const fix = "Wait for them, or take them out of the group.";
    find("instance_state", `In a state that Drover does not count: ${strange.map(({ id }) => id).join(" ")}.`, fix);
  }
  return findings;
}

/** States whose place in desired capacity is clear. Standby, detaching and their like are not (design: safe to shrink). */
const understood: ReadonlySet<string> = new Set([
  "Pending",
  "Pending:Wait",
  "Pending:Proceed",
  "InService",
  "Terminating",
  "Terminating:Wait",
  "Terminating:Proceed",
  "Terminated",
  "Detached",
  "Warmed:Pending",
  "Warmed:Pending:Wait",
  "Warmed:Pending:Proceed",
  "Warmed:Terminating",
  "Warmed:Terminating:Wait",
  "Warmed:Terminating:Proceed",
  "Warmed:Terminated",
  "Warmed:Stopped",
  "Warmed:Running",
  "Warmed:Hibernated",
]);

function findingsOf(group: Group) {
  const findings: Finding[] = [];
  const find = (code: string, message: string, fix: string) =>
    findings.push({ code, resource: group.name, message, fix });
  return { findings, find };
}
