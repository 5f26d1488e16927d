import type { HostsRecord, InstanceNotes } from "./host-notes.ts";
import type { HostsObservation, Supply } from "./host-observation.ts";
import { isAlive, type Pair, whyNotEligible } from "./host-pairs.ts";
import type { PoolNeed } from "./pool-need.ts";

const mostAbandons = 3;
/** A stop that nothing ends would outlast its cause: after this long one more raise may show that hosts join again. */
const stopMs = 3_600_000;

/** Why a group whose hosts do not join is not raised any more, and until when; undefined while it is. */
export function raiseStop({ abandons }: HostsRecord, now: number): Supply["stop"] {
  const until = abandons.lastAt + stopMs;
  if (abandons.count < mostAbandons || now >= until) return undefined;
  return { reason: `${abandons.count} launches in a row never joined Zoomies`, until };
}

/**
 * What the raise must add to what readings say (zoomies-notes 3, trap 3): slots that desired capacity stands for and
 * Zoomies does not count, because their host is cordoned by somebody, silent, incompatible, smaller than tagged or never
 * joined. A young instance counts as the supply it will be, so that nothing is bought twice; so does a host that we
 * cordoned and that demand would bring back.
 */
export function supplyOf(
  observation: HostsObservation,
  pairs: readonly Pair[],
  notes: ReadonlyMap<string, InstanceNotes>,
  need: PoolNeed | undefined,
): Supply {
  const { fleet, record, now, settings } = observation;
  const stop = raiseStop(record, now);
  if (observation.zoomies === undefined || need === undefined) return { lost: 0, needed: undefined, stop };

  const alive = pairs.filter(({ instance }) => isAlive(instance));
  let lost = 0;
  let free = 0;
  for (const pair of alive) {
    const { host, oddity } = pair;
    const own = notes.get(pair.instance.id);
    // One that waits in its launch hook past the deadline is about to be abandoned, and Auto Scaling replaces it.
    const patience = pair.instance.state === "Pending:Wait" ? 2 : 1;
    const age = now - (own?.seenAt ?? now);
    const isYoung = host === undefined && own?.hostId === undefined && age < settings.joinDeadlineMs * patience;
    // A host that we cordoned comes back when demand asks for it, or takes its place in desired capacity with it.
    const isOurs = own?.drain !== undefined;
    const isCounted =
      host !== undefined &&
      oddity !== "two hosts answer to it" &&
      whyNotEligible(host, fleet) === undefined &&
      (!host.cordoned || isOurs);
    const slots = isYoung ? fleet.slotsPerHost : isCounted ? host.capacity : 0;
    lost += fleet.slotsPerHost - slots;
    if (isYoung) free += slots;
    else if (isCounted) free += Math.max(slots - host.active_runners, 0);
  }
  // Free slots will be filled by the next pass; only what cannot be placed asks for hosts.
  return { lost, needed: free > 0 ? undefined : need.slots, stop };
}
