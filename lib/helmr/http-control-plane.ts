import { answerFields } from "./answer-fields.ts";
import { connection } from "./connection.ts";
import { type ControlPlane, OddAnswer } from "./control-plane.ts";
import { listHosts } from "./host-list.ts";
import { deployment, groupIdentity, workerGroup, workerHost, workerPool } from "./inventory-answers.ts";
import { plan, resourcePolicy } from "./plan-answers.ts";
import { pendingReceipt, receipt } from "./receipt-answers.ts";
import { type RequestSettings, requests, segment } from "./requests.ts";

export interface HttpControlPlaneSettings extends RequestSettings {
  /** The Control Plane's origin, perhaps with a path; `/capacity/v1` is added to it. HTTPS outside loopback. */
  readonly baseUrl: string;
}

/** An answer about another object than the one asked for is as good as none. */
function about<K extends string, T extends Readonly<Record<K, string>>>(field: K, asked: string, found: T): T {
  if (found[field] === asked) return found;
  throw new OddAnswer(`The Control Plane answered about another ${field} than the one asked for.`);
}

/**
 * The capacity protocol over HTTP (helmr-capacity-v1, every operation but the update stream). Bodies hold exactly the
 * contract's fields, because the peer refuses others (helmr-notes 1). Errors as {@link ControlPlane} says, besides those
 * of the token itself.
 */
export function httpControlPlane(settings: HttpControlPlaneSettings): ControlPlane & { close(): void } {
  const wire = connection(settings.baseUrl);
  const { read, submit, mutate } = requests(wire, settings);
  const inGroup = (group: string) => `/worker-groups/${segment(group)}`;
  const inPool = (group: string, pool: string) => `${inGroup(group)}/pools/${segment(pool)}`;
  const ofHost = (id: string) => `/worker-hosts/${segment(id)}`;
  const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`;

  return {
    close: wire.close,
    resolveGroup: (regionId, name) =>
      read(`/worker-groups/resolve${query({ region_id: regionId, name })}`, (value) =>
        about("name", name, about("region_id", regionId, workerGroup(value))),
      ),
    resolvePool: async (groupId, name) =>
      read(`${inGroup(groupId)}/pools/resolve${query({ name })}`, (value) =>
        about("name", name, about("worker_group_id", groupId, workerPool(value))),
      ),
    plan: async (groupId, { expected_supply_fingerprint, observed_at, pools }) =>
      submit(
        `${inGroup(groupId)}/plan`,
        {
          expected_supply_fingerprint,
          observed_at,
          pools: pools.map(({ pool_id, max_additional_workers, active_workers, registering_workers }) => ({
            pool_id,
            max_additional_workers,
            active_workers,
            registering_workers,
          })),
        },
        (value) => about("worker_group_id", groupId, plan(value)),
      ),
    resourcePolicy: async (groupId, poolId) => read(`${inPool(groupId, poolId)}/resource-policy`, resourcePolicy),
    replaceResourcePolicy: async (groupId, poolId, { expected_revision, optional, local_headroom_slots }) => {
      const { cpu_millis, memory_bytes, disk_bytes, vm_slots, max_tasks, io_bytes_per_second } = optional;
      const limits = { cpu_millis, memory_bytes, disk_bytes, vm_slots, max_tasks, io_bytes_per_second };
      const policy = { expected_revision, optional: limits, local_headroom_slots };
      return mutate("PUT", `${inPool(groupId, poolId)}/resource-policy`, policy, resourcePolicy);
    },
    scaleIn: async (groupId, poolId, key) =>
      mutate("POST", `${inPool(groupId, poolId)}/scale-in`, { operation_key: segment(key) }, (value) =>
        receipt(value, key),
      ),
    pendingScaleIn: async (groupId) => read(`${inGroup(groupId)}/scale-in-operations/pending`, pendingReceipt),
    scaleInReceipt: async (groupId, key) =>
      read(`${inGroup(groupId)}/scale-in-operations/${segment(key)}`, (value) => receipt(value, key)),
    setPrimaryPool: async (groupId, { expected_group_claim_version, minimum_ready_hosts, pool_id }) =>
      mutate(
        "PUT",
        `${inGroup(groupId)}/primary-pool`,
        { expected_group_claim_version, minimum_ready_hosts, pool_id },
        (value) => {
          const fields = answerFields(value, "primary pool");
          const group = about("id", groupId, groupIdentity(fields.object("worker_group")));
          return { worker_group: group, applied: fields.flag("applied") };
        },
      ),
    deployment: () => read("/deployment", deployment),
    hosts: (filter) => listHosts(read, filter),
    host: async (id) => read(ofHost(id), (value) => about("id", id, workerHost(value))),
    drain: async (id, { expected_epoch, expected_claim_version, reason }) =>
      mutate("POST", `${ofHost(id)}/drain`, { expected_epoch, expected_claim_version, reason }, (value) =>
        about("id", id, workerHost(value)),
      ),
    lost: async (id) => mutate("POST", `${ofHost(id)}/lost`, undefined, (value) => about("id", id, workerHost(value))),
    createPool: async (groupId, { name, expected_group_claim_version }) =>
      mutate("POST", `${inGroup(groupId)}/pools`, { name, expected_group_claim_version }, (value) =>
        about("name", name, about("worker_group_id", groupId, workerPool(value))),
      ),
    disablePool: async (groupId, poolId, { expected_pool_claim_version }) =>
      mutate("POST", `${inPool(groupId, poolId)}/disable`, { expected_pool_claim_version }, (value) =>
        about("id", poolId, workerPool(value)),
      ),
  };
}
