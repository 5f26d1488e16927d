import type { Finding } from "./finding.ts";
import type { Group } from "./group.ts";

/** What stands against raising a group (design: safe to grow). Empty means that nothing does. */
export function unsafeToGrow(group: Group): Finding[] {
  const findings: Finding[] = [];
  const find = (code: string, message: string, fix: string) =>
    findings.push({ code, resource: group.name, message, fix });
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
