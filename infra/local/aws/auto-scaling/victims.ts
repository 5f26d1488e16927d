import { type Group, isSuspended, type Member } from "./group.ts";
import { countByZone } from "./zones.ts";

/**
 * The member that a scale-in ends next, or undefined when all are protected. Protection begins in service, so an instance on its way
 * in is never protected. The fullest zone that holds an unprotected instance comes first; within it the group's termination policies
 * decide, by default the oldest launch template, then the instance nearest to its next hour. Suspending Terminate holds only
 * instances in service. One that Capacity Rebalancing has a replacement for goes before all, protected or not.
 */
export function chooseVictim(group: Group, now: number): Member | undefined {
  const atRisk = [...group.members.values()].find((member) => member.atRisk && member.state === "InService");
  if (atRisk !== undefined && !isSuspended(group, "Terminate")) return atRisk;
  const open = [...group.members.values()].filter((member) => isOpen(group, member));
  const counts = countByZone(group);
  const fullest = Math.max(...open.map((member) => counts.get(member.zone) ?? 0));
  let left = open.filter((member) => counts.get(member.zone) === fullest);
  for (const policy of group.terminationPolicies) {
    for (const rank of ranks[policy] ?? ranks.Default ?? []) left = lowest(left, (member) => rank(member, now));
  }
  return left[0];
}

function isOpen(group: Group, member: Member): boolean {
  if (member.state === "Pending" || member.state === "Pending:Wait") return true;
  return member.state === "InService" && !member.protectedFromScaleIn && !isSuspended(group, "Terminate");
}

type Rank = (member: Member, now: number) => number;

const hourMs = 3_600_000;
const age: Rank = (member) => member.joinedAt;
const templateAge: Rank = (member) => Number(member.template?.version ?? 0);
const nextHour: Rank = (member, now) => hourMs - ((now - member.joinedAt) % hourMs);

const ranks: Readonly<Record<string, readonly Rank[]>> = {
  Default: [templateAge, nextHour],
  OldestInstance: [age],
  NewestInstance: [(member) => -member.joinedAt],
  OldestLaunchTemplate: [templateAge],
  ClosestToNextInstanceHour: [nextHour],
};

function lowest(members: Member[], rank: (member: Member) => number): Member[] {
  const least = Math.min(...members.map(rank));
  return members.filter((member) => rank(member) === least);
}
