import { type HostFilter, type HostList, OddAnswer } from "./control-plane.ts";
import { workerHosts } from "./inventory-answers.ts";
import type { WorkerHost } from "./protocol.ts";
import { largeAnswer, type Requests, segment } from "./requests.ts";

/** The most that the protocol returns at once. There is no next page, so the most is always asked for. */
const limit = 500;
/** Keeps the URL short enough for every proxy between (helmr-notes 1.1). */
const mostResources = 200;

/**
 * Lists hosts by filter. An empty list of resource ids or statuses asks for nothing and gets nothing: left out of the
 * query, it would ask for everything. Throws RangeError past 200 resource ids, and {@link OddAnswer} where a row is not
 * one of those asked for.
 */
export async function listHosts(read: Requests["read"], filter: HostFilter): Promise<HostList> {
  const { worker_group_id, resource_ids, statuses, has_unreclaimed_instance } = filter;
  const resources = resource_ids && new Set(resource_ids);
  if (resources !== undefined && resources.size > mostResources) {
    throw new RangeError(`A list of hosts takes at most ${mostResources} resource ids.`);
  }
  if (resources?.size === 0 || statuses?.length === 0) return { worker_hosts: [], truncated: false };
  const query = new URLSearchParams();
  if (worker_group_id !== undefined) query.append("worker_group_id", segment(worker_group_id));
  for (const id of resources ?? []) query.append("resource_id", id);
  for (const status of new Set(statuses)) query.append("status", status);
  if (has_unreclaimed_instance) query.append("has_unreclaimed_instance", "true");
  query.append("limit", String(limit));
  const rows = await read(`/worker-hosts?${query}`, workerHosts, largeAnswer);
  refuseOthers(rows, filter, resources);
  return { worker_hosts: rows, truncated: rows.length >= limit };
}

/** A row outside the filter, or two for one resource of one group, means that the list is not what we take it for. */
function refuseOthers(
  rows: readonly WorkerHost[],
  filter: HostFilter,
  resources: ReadonlySet<string> | undefined,
): void {
  const seen = new Set<string>();
  const statuses: ReadonlySet<string> | undefined = filter.statuses && new Set(filter.statuses);
  for (const row of rows) {
    const identity = `${row.worker_group_id} ${row.resource_id}`;
    const isAskedFor =
      (filter.worker_group_id === undefined || row.worker_group_id === filter.worker_group_id) &&
      (resources === undefined || resources.has(row.resource_id)) &&
      (statuses === undefined || statuses.has(row.status));
    if (!isAskedFor) throw new OddAnswer("The Control Plane listed a host that was not asked for.");
    if (seen.has(identity)) throw new OddAnswer("The Control Plane listed one resource twice.");
    seen.add(identity);
  }
}
