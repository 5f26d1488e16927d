import type { GroupPlan, Plan } from "../../lib/zoomies/plan.ts";

/** A plan as a person reads it: per group what would be done, what is under way, and why not more. */
export function planLines({ groups, unseen }: Plan): string[] {
  const lines = unseen === undefined ? [] : [`Zoomies was not seen: ${unseen}. No host is proven empty.`, ""];
  if (groups.length === 0) lines.push("No Auto Scaling group of this stack serves a Zoomies pool.");
  return [...lines, ...groups.flatMap(groupLines)];
}

function groupLines({ group, raise, hosts }: GroupPlan): string[] {
  const { name, desired, min, max, instances } = group;
  const lines = [`${name}: desired ${desired} of ${min} to ${max}, ${instances.length} instances`];
  const to = raise.raiseTo === undefined ? "not raised" : `raise to ${raise.raiseTo}`;
  lines.push(`  ${to}: ${raise.reasons.join("; ")}`);
  if (hosts === undefined)
    return [...lines, "  hosts are not looked after: drover:scale-in is not verified, or no API"];
  for (const { kind, instance, reason } of hosts.actions) lines.push(`  ${kind} ${instance}: ${reason}`);
  for (const [instance, { drain }] of Object.entries(hosts.record.instances)) {
    if (drain !== undefined) lines.push(`  under way: ${instance} is ${drain.phase}`);
  }
  if (hosts.reasons.length > 0) lines.push(`  no more hosts leave: ${hosts.reasons.join("; ")}`);
  const { lost, needed } = hosts.supply;
  if (lost > 0) lines.push(`  ${lost} slots stand in desired capacity that Zoomies does not count`);
  if (needed !== undefined) lines.push(`  Zoomies itself reports a need of ${needed} slots, and has none free`);
  for (const finding of hosts.findings) lines.push(`  ${finding.code}: ${finding.message} ${finding.fix}`);
  return lines;
}
