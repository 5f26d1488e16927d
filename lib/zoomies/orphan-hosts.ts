import type { Group } from "../capacity/group.ts";
import type { HostsRecord, InstanceNotes } from "./host-notes.ts";
import type { ZoomiesView } from "./host-observation.ts";
import { type JoinRecord, joinKey } from "./join-record.ts";
import type { DemandParts } from "./parts.ts";

const instanceName = /^i-[0-9a-f]{8,17}$/;

/**
 * Silent hosts whose instance joined through Drover and left while nobody looked: by group, as notes of an instance that
 * left. The join record says whose they were; EC2 will say whether they are gone.
 */
export async function orphanHosts(
  { records }: DemandParts,
  groups: readonly Group[],
  hosts: readonly (HostsRecord | undefined)[],
  view: ZoomiesView,
): Promise<ReadonlyMap<string, HostsRecord["instances"]>> {
  const known = new Set([
    ...groups.flatMap(({ instances }) => instances.map(({ id }) => id)),
    ...hosts.flatMap((record) => Object.keys(record?.instances ?? {})),
  ]);
  const names = view.hosts
    .filter(({ name, healthy }) => !healthy && instanceName.test(name) && !known.has(name))
    .map(({ name }) => name);
  const orphans = new Map<string, Record<string, InstanceNotes>>();
  for (const stored of names.length === 0 ? [] : await records.readAll<JoinRecord>(names.map(joinKey))) {
    if (stored === undefined) continue;
    const { group, instance, firstAskedAt } = stored.value;
    orphans.set(group, { ...orphans.get(group), [instance]: { seenAt: firstAskedAt } });
  }
  return orphans;
}
