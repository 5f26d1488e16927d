import type { HostFilter } from "../../../lib/helmr/control-plane.ts";
import type { WorkerHost } from "../../../lib/helmr/protocol.ts";
import { done, type Outcome, table } from "../../cli/outcome.ts";
import type { Reach } from "../reach.ts";

/** The hosts of a Worker group: live ones, or with `all` those that have ended too. */
export async function listHosts(reach: Reach, pool: string | undefined, all: boolean): Promise<Outcome> {
  const controlPlane = reach.controlPlane();
  const group = await controlPlane.resolveGroup(reach.regionId(), await reach.workerGroup());
  const only = pool === undefined ? undefined : await controlPlane.resolvePool(group.id, pool);
  const live: HostFilter = all ? {} : { statuses: ["registering", "active", "draining"] };
  const { worker_hosts, truncated } = await controlPlane.hosts({ worker_group_id: group.id, ...live });
  const hosts = worker_hosts.filter((host) => only === undefined || host.worker_pool_id === only.id);
  const lines = [
    ...table(["RESOURCE", "STATUS", "SINCE", "EPOCH", "CLAIM", "BLOCKERS", "POOL", "HOST"], hosts.map(row)),
    `${hosts.length} hosts${all ? "" : ", ended ones left out (--all shows them)"}.`,
    ...(truncated
      ? ["The list is TRUNCATED: there are more hosts than one answer holds, and it has no next page."]
      : []),
  ];
  return done(lines, { worker_hosts: hosts, truncated });
}

function row(host: WorkerHost): string[] {
  const { unreclaimed_instances: instances = "?", unreconciled_session_processes: processes = "?" } =
    host.drain_blockers;
  const reason = host.drain_reason === undefined ? "" : ` (${host.drain_reason})`;
  return [
    host.resource_id,
    `${host.status}${reason}`,
    host.lost_at ?? host.termination_ready_at ?? host.draining_at ?? host.created_at,
    String(host.current_epoch ?? "none"),
    String(host.claim_version),
    `${instances} instances, ${processes} processes`,
    host.worker_pool_id,
    host.id,
  ];
}
