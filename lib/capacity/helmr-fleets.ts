import type { Finding } from "./finding.ts";
import type { Group, Groups } from "./group.ts";
import { type HelmrFleet, helmrFleet, helmrGroupTag, helmrPoolTag, helmrPrimaryTag } from "./helmr-fleet.ts";

/** The most pools that one plan covers (the contract). */
const mostPools = 64;

/** The stack's groups that carry either name, without their instances: one name alone places no group, and is a finding. */
export async function helmrTagged(groups: Pick<Groups, "tagged">): Promise<Group[]> {
  const [named, pooled] = await Promise.all([groups.tagged(helmrGroupTag), groups.tagged(helmrPoolTag)]);
  return [...new Map([...named, ...pooled].map((group) => [group.name, group])).values()];
}

/** Whether the name is one that Helmr could resolve; the groups of one that is not are findings only. */
export const isPlaced = ({ name }: DeclaredWorkerGroup): boolean => name.trim() !== "";

/** One Worker group as the stack's Auto Scaling groups declare it. */
export interface DeclaredWorkerGroup {
  readonly name: string;
  /** One for each pool that can be served, by pool name. */
  readonly fleets: readonly HelmrFleet[];
  /** What is wrong with its groups. */
  readonly findings: readonly Finding[];
  /** Whether every tagged group is among the fleets. If not, a plan lacks a pool and its evidence is advisory only (the contract). */
  readonly isWhole: boolean;
}

/**
 * The Worker groups that a stack's groups declare, by name. Two groups for one pool cannot be told apart in Helmr's
 * counts: both are left out. Two primaries leave the choice to others. More than 64 pools fit into no plan: the whole
 * Worker group is left out (invariant 12).
 */
export function declaredWorkerGroups(groups: readonly Group[]): DeclaredWorkerGroup[] {
  const byName = new Map<string, Group[]>();
  for (const group of groups) {
    const name = group.tags[helmrGroupTag] ?? (group.tags[helmrPoolTag] === undefined ? undefined : "");
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), group]);
  }
  return Array.from(byName, ([name, members]) => declared(name, members)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function declared(name: string, members: readonly Group[]): DeclaredWorkerGroup {
  const findings: Finding[] = [];
  const pools = Map.groupBy(members, (group) => group.tags[helmrPoolTag] ?? "");
  const fleets: HelmrFleet[] = [];
  for (const [pool, suppliers] of pools) {
    const names = suppliers.map((group) => group.name).sort();
    // By the tags alone: a second group supplies the pool even where its other tags are bad.
    const isShared = pool !== "" && names.length > 1;
    for (const group of suppliers) {
      const read = helmrFleet(group);
      findings.push(...(read.findings ?? []));
      if (isShared) findings.push(sharedPool(group.name, pool, names));
      else if (read.fleet !== undefined) fleets.push(read.fleet);
    }
  }
  if (pools.size > mostPools) {
    const fix = `Serve at most ${mostPools} pools of one Worker group; a plan covers no more.`;
    const message = `The Worker group ${name} has ${pools.size} pools in this stack.`;
    return {
      name,
      fleets: [],
      findings: [...findings, { code: "too_many_pools", resource: name, message, fix }],
      isWhole: false,
    };
  }
  fleets.sort((a, b) => (a.pool < b.pool ? -1 : 1));
  const isWhole = fleets.length === members.length;
  return { name, isWhole, ...onePrimary(fleets, findings) };
}

function sharedPool(resource: string, pool: string, names: readonly string[]): Finding {
  return {
    code: "pool_supplied_twice",
    resource,
    tag: helmrPoolTag,
    message: `Pool ${pool} is tagged on ${names.join(" and ")}.`,
    fix: `Leave ${helmrPoolTag} = ${pool} on one of them.`,
  };
}

function onePrimary(
  fleets: readonly HelmrFleet[],
  findings: readonly Finding[],
): Pick<DeclaredWorkerGroup, "fleets" | "findings"> {
  const primaries = fleets.filter((fleet) => fleet.primaryMinimum !== undefined);
  if (primaries.length < 2) return { fleets, findings };
  const names = primaries.map((fleet) => fleet.group).join(" and ");
  const several = primaries.map((fleet) => ({
    code: "several_primaries",
    resource: fleet.group,
    tag: helmrPrimaryTag,
    message: `${names} both want to be the primary pool; a Worker group has one.`,
    fix: `Leave ${helmrPrimaryTag} on one of them.`,
  }));
  return {
    fleets: fleets.map((fleet) => ({ ...fleet, primaryMinimum: undefined })),
    findings: [...findings, ...several],
  };
}
