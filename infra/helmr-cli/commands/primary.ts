import { done, type Outcome } from "../../cli/outcome.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { fenced } from "../fenced.ts";
import type { Reach } from "../reach.ts";

/** Makes a pool its group's primary under the group's claim, if at least `minimum` of its hosts are ready. */
export async function setPrimary(reach: Reach, name: string, minimum: string | undefined): Promise<Outcome> {
  if (!/^[1-9]\d{0,3}$/.test(minimum ?? ""))
    throw new UsageError("--minimum N must be a whole number of hosts, at least 1.");
  const controlPlane = reach.controlPlane();
  const groupName = await reach.workerGroup();
  const group = await controlPlane.resolveGroup(reach.regionId(), groupName);
  const pool = await controlPlane.resolvePool(group.id, name);
  const request = {
    expected_group_claim_version: group.claim_version,
    minimum_ready_hosts: Number(minimum),
    pool_id: pool.id,
  };
  return fenced(
    () => controlPlane.setPrimaryPool(group.id, request),
    ({ worker_group, applied }) =>
      done(
        [
          applied
            ? `Pool ${name} is the primary pool of ${groupName} now, claim ${worker_group.claim_version}.`
            : `Pool ${name} was the primary pool already. That says nothing about the health of its hosts.`,
        ],
        { worker_group, applied },
      ),
    async () => {
      const now = await controlPlane.resolveGroup(reach.regionId(), groupName);
      const primary =
        now.primary_pool_id === pool.id ? `${name} is primary` : `the primary pool is ${now.primary_pool_id ?? "none"}`;
      const line = `the group is ${now.status}, claim ${now.claim_version} (it was ${group.claim_version}); ${primary}; pool ${name} is ${pool.status}.`;
      return { line, value: now };
    },
  );
}
