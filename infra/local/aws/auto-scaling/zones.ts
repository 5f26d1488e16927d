import type { World } from "../world.ts";
import { countsTowardsDesired, type Group } from "./group.ts";

/** How many instances on their way in or in service each of the group's zones holds; zones without any count 0. */
export function countByZone(group: Group, zones: readonly string[] = []): Map<string, number> {
  const counts = new Map(zones.map((zone) => [zone, 0]));
  for (const member of group.members.values()) {
    if (countsTowardsDesired(member)) counts.set(member.zone, (counts.get(member.zone) ?? 0) + 1);
  }
  return counts;
}

export function zonesOf(world: World, group: Group): string[] {
  return [...new Set(group.subnets.map((id) => world.subnets.get(id)?.zone ?? ""))];
}

/** The group's subnets, those of the emptiest zone first: the order in which a launch tries them. */
export function subnetsByNeed(world: World, group: Group): string[] {
  const counts = countByZone(group, zonesOf(world, group));
  const need = (id: string) => counts.get(world.subnets.get(id)?.zone ?? "") ?? 0;
  return [...group.subnets].sort((a, b) => need(a) - need(b));
}

/**
 * Whether evening out would help: two zones differ by more than one instance, and the fuller one holds an instance in service
 * that may be ended.
 */
export function isUnbalanced(world: World, group: Group): boolean {
  const counts = countByZone(group, zonesOf(world, group));
  const fullest = Math.max(...counts.values());
  if (fullest - Math.min(...counts.values()) < 2) return false;
  return [...group.members.values()].some(
    (m) => m.state === "InService" && !m.protectedFromScaleIn && counts.get(m.zone) === fullest,
  );
}
