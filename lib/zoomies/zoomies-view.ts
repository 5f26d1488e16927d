import type { Clock } from "../edge/clock.ts";
import type { HostsApi } from "./api.ts";
import type { ZoomiesView } from "./host-observation.ts";

/** All of Zoomies in one round of reads. Throws when any of it could not be had whole: then nothing is proven. */
export async function lookAtZoomies(api: HostsApi, clock: Clock): Promise<ZoomiesView> {
  const at = clock.now();
  // Runners before hosts: a host that left meanwhile lacks its row rather than its runners.
  const [runners, pools] = await Promise.all([api.runners(), api.pools()]);
  return { at, runners, pools, hosts: await api.hosts() };
}
