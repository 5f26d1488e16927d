import type { HostsObservation } from "./host-observation.ts";
import { isEmpty, whyNotEligible } from "./host-pairs.ts";
import type { LifeParts } from "./host-parts.ts";
import { poolNeed } from "./pool-need.ts";

/**
 * Why a host is not proven empty by one fresh look, or undefined when it is: the same row under the instance's name,
 * cordoned, healthy, and without a runner in either account. Throws when Zoomies does not say, which proves nothing.
 */
export async function whyNotEmpty(
  { life }: LifeParts,
  instance: string,
  hostId: string,
  { fleet }: Pick<HostsObservation, "fleet">,
): Promise<string | undefined> {
  // Runners last: whatever was placed before the cordon shows by then.
  const host = await life.hosts.host(hostId);
  if (host === undefined) return "its host row is gone";
  if (host.name !== instance) return "its host was renamed";
  if (!host.cordoned) return "somebody uncordoned it";
  const ineligible = whyNotEligible(host, fleet);
  if (ineligible !== undefined) return `its host is ${ineligible}`;
  const runners = await life.hosts.runners(hostId);
  return isEmpty({ host, runners }) ? undefined : "a runner is on it";
}

/** Why the group cannot do without one more host after a fresh look at its pools, or undefined when it can. */
export async function whyNeeded(
  { life }: LifeParts,
  observation: HostsObservation,
  hostIds: ReadonlySet<string>,
): Promise<string | undefined> {
  const { zoomies, fleet } = observation;
  if (zoomies === undefined) return "the group was not seen whole";
  const need = poolNeed(fleet, { ...zoomies, pools: await life.hosts.pools() }, hostIds);
  if (need.waiting !== undefined) return `pool ${need.waiting} has jobs that wait`;
  const before = poolNeed(fleet, zoomies, hostIds);
  return need.slots > before.slots ? "the pools need more than when this was decided" : undefined;
}
