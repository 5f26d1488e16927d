import type { HostsDecision } from "../../lib/zoomies/host-observation.ts";
import type { GroupPlan, Plan } from "../../lib/zoomies/plan.ts";

/** A plan as a person reads it: per group what would be done, what is under way, and why not more. */
export function planLines({ groups, unseen }: Plan): string[] {
  const lines = unseen === undefined ? [] : [`Zoomies was not seen: ${unseen}. No host is proven empty.`, ""];
  if (groups.length === 0) lines.push("No Auto Scaling group of this stack serves a Zoomies pool.");
  return [...lines, ...groups.flatMap(groupLines)];
}

/** The same for programs. */
export const planView = ({ groups, unseen }: Plan) => ({
  unseen: unseen ?? null,
  groups: groups.map(({ group: { name, desired, min, max, instances }, raise, hosts }) => ({
    group: name,
    desired,
    min,
    max,
    instances: instances.length,
    raiseTo: raise.raiseTo ?? null,
    raiseReasons: raise.reasons,
    hosts:
      hosts === undefined
        ? null
        : {
            actions: hosts.actions.map(({ kind, instance, reason }) => ({ kind, instance, reason })),
            underWay: drains(hosts).map(({ instance, phase }) => ({ instance, phase })),
            stayReasons: hosts.reasons,
            lostSlots: hosts.supply.lost,
            neededSlots: hosts.supply.needed ?? null,
            findings: hosts.findings,
          },
  })),
});

const drains = ({ record }: HostsDecision) =>
  Object.entries(record.instances).flatMap(([instance, { drain }]) =>
    drain === undefined ? [] : [{ instance, phase: drain.phase }],
  );

function groupLines({ group, raise, hosts }: GroupPlan): string[] {
  const { name, desired, min, max, instances } = group;
  const lines = [`${name}: desired ${desired} of ${min} to ${max}, ${instances.length} instances`];
  const to = raise.raiseTo === undefined ? "not raised" : `raise to ${raise.raiseTo}`;
  lines.push(`  ${to}: ${raise.reasons.join("; ")}`);
  if (hosts === undefined)
    return [...lines, "  hosts are not looked after: drover:scale-in is not verified, or no API"];
  for (const { kind, instance, reason } of hosts.actions) lines.push(`  ${kind} ${instance}: ${reason}`);
  for (const { instance, phase } of drains(hosts)) lines.push(`  under way: ${instance} is ${phase}`);
  if (hosts.reasons.length > 0) lines.push(`  no more hosts leave: ${hosts.reasons.join("; ")}`);
  const { lost, needed } = hosts.supply;
  if (lost > 0) lines.push(`  ${lost} slots stand in desired capacity that Zoomies does not count`);
  if (needed !== undefined) lines.push(`  Zoomies itself reports a need of ${needed} slots, and has none free`);
  for (const finding of hosts.findings) lines.push(`  ${finding.code}: ${finding.message} ${finding.fix}`);
  return lines;
}
