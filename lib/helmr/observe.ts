import type { Finding } from "../capacity/finding.ts";
import { helmrGroupTag } from "../capacity/helmr-fleet.ts";
import { declaredWorkerGroups } from "../capacity/helmr-fleets.ts";
import { ControlPlaneError, type HostList } from "./control-plane.ts";
import type { Readings, SuppliedPool } from "./observation.ts";
import type { LookParts } from "./parts.ts";
import type { WorkerGroup, WorkerHost } from "./protocol.ts";
import type { ControlPlaneReads } from "./session.ts";

/** Keeps URLs short (helmr-notes 1.1). */
const idsAtOnce = 200;
/** Requests to the Control Plane that are under way at once. */
const atOnce = 8;

/**
 * One cycle's readings of one Worker group. The Control Plane is asked first, so that without it nothing is asked of AWS
 * (invariant 25). Errors come through: a part is never taken for the whole.
 */
export async function observe(
  parts: Pick<LookParts, "groups" | "instances" | "clock" | "settings">,
  controlPlane: ControlPlaneReads,
  name: string,
  remembered: readonly string[],
): Promise<Readings> {
  const observedAt = parts.clock.now();
  const workerGroup = await controlPlane.resolveGroup(parts.settings.regionId, name);
  const [described, ...lists] = await Promise.all([
    parts.groups.tagged(helmrGroupTag, { value: name, instances: true }),
    controlPlane.hosts({ worker_group_id: workerGroup.id, statuses: ["active"] }),
    controlPlane.hosts({ worker_group_id: workerGroup.id, statuses: ["registering", "draining"] }),
    controlPlane.hosts({ worker_group_id: workerGroup.id, statuses: ["lost"], has_unreclaimed_instance: true }),
  ]);
  const [active, changing, lost] = lists;
  const declared = declaredWorkerGroups(described).find((group) => group.name === name);
  const findings: Finding[] = [...(declared?.findings ?? [])];
  const live = distinct([...changing.worker_hosts, ...active.worker_hosts]);
  const members = described.flatMap((group) => group.instances.map(({ id }) => id));
  const ids = [...new Set([...members, ...remembered, ...live.map(resourceOf), ...lost.worker_hosts.map(resourceOf)])];
  const [pools, byInstance, instances] = await Promise.all([
    resolvePools(controlPlane, workerGroup, declared?.fleets ?? [], described, findings),
    hostsOf(controlPlane, [...new Set([...members, ...remembered])]),
    parts.instances.of(ids),
  ]);
  return {
    observedAt,
    workerGroup,
    pools,
    isWhole: declared?.isWhole === true && pools.length === declared.fleets.length,
    findings,
    live,
    liveTruncated: active.truncated,
    othersTruncated: changing.truncated || lost.truncated || byInstance.truncated,
    strays: lost.worker_hosts,
    byInstance: byInstance.worker_hosts,
    instances,
  };
}

const resourceOf = ({ resource_id: id }: WorkerHost) => id;

/** One row a host; where the two lists both have it, it moved between them and the first is the newer status. */
function distinct(rows: readonly WorkerHost[]): WorkerHost[] {
  const byId = new Map<string, WorkerHost>();
  for (const row of rows) if (!byId.has(row.id)) byId.set(row.id, row);
  return [...byId.values()];
}

/** A pool that Helmr does not know is left out, with a finding; a pending one waits for its first host. */
async function resolvePools(
  controlPlane: ControlPlaneReads,
  workerGroup: WorkerGroup,
  fleets: readonly SuppliedPool["fleet"][],
  described: readonly SuppliedPool["group"][],
  findings: Finding[],
): Promise<SuppliedPool[]> {
  const found = await limited(fleets, async (fleet) => {
    const group = described.find(({ name }) => name === fleet.group);
    if (group === undefined) return undefined;
    try {
      const pool = await controlPlane.resolvePool(workerGroup.id, fleet.pool);
      if (pool.status === "pending" && group.min < 1) findings.push(unseeded(fleet.group, fleet.pool));
      return { fleet, group, pool };
    } catch (error) {
      if (!(error instanceof ControlPlaneError) || error.status !== 404) throw error;
      findings.push({
        code: "unknown_pool",
        resource: fleet.group,
        message: `The Worker group ${workerGroup.name} has no pool ${fleet.pool}.`,
        fix: `Create it with npm run helmr -- pools create, or correct the tag drover:helmr-pool on ${fleet.group}.`,
      });
      return undefined;
    }
  });
  return found.filter((each) => each !== undefined);
}

const unseeded = (resource: string, pool: string): Finding => ({
  code: "pool_not_seeded",
  resource,
  message: `Pool ${pool} is pending: it becomes active with its first host, and Helmr recommends none before.`,
  fix: `Set MinSize of ${resource} to 1 until the pool is active.`,
});

async function hostsOf(controlPlane: ControlPlaneReads, ids: readonly string[]): Promise<HostList> {
  const batches: string[][] = [];
  for (let start = 0; start < ids.length; start += idsAtOnce) batches.push(ids.slice(start, start + idsAtOnce));
  const lists = await limited(batches, (batch) => controlPlane.hosts({ resource_ids: batch }));
  return {
    worker_hosts: lists.flatMap(({ worker_hosts: rows }) => rows),
    truncated: lists.some(({ truncated }) => truncated),
  };
}

/** Maps with at most {@link atOnce} calls under way; the first error comes through. */
async function limited<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await call(items[index] as T);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
