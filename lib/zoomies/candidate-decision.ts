import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { InstanceNotes } from "./host-notes.ts";
import type { Pair } from "./host-pairs.ts";
import { isIdle, whyNotEligible } from "./host-pairs.ts";

export interface CandidateCircumstances {
  readonly fleet: ZoomiesFleet;
  readonly now: number;
  readonly min: number;
  readonly desired: number;
  /** Slots the group's pools need, hosts outside the group included. */
  readonly neededSlots: number;
}

export interface Candidates {
  readonly chosen: readonly Pair[];
  readonly reasons: readonly string[];
}

export const isDraining = ({ drain }: InstanceNotes): boolean => drain !== undefined && drain.phase !== "terminated";

/** Whether Zoomies counts this host for the fleet's pools. */
export const isCounted = ({ host, oddity }: Pair, fleet: ZoomiesFleet): boolean =>
  host !== undefined && oddity === undefined && !host.cordoned && whyNotEligible(host, fleet) === undefined;

/**
 * Which hosts start to drain now: the newest of those idle long enough, as long as what stays meets the need, MinSize and
 * the limit on drains at once (zoomies-notes 4, step 3; cases.md 39, 41, 71). Only hosts that Zoomies counts stand for
 * slots here; what is still booting is not counted on.
 */
export function chooseCandidates(
  pairs: readonly Pair[],
  notes: ReadonlyMap<string, InstanceNotes>,
  { fleet, now, min, desired, neededSlots }: CandidateCircumstances,
): Candidates {
  const noted = (pair: Pair): InstanceNotes => notes.get(pair.instance.id) ?? { seenAt: now };
  const draining = pairs.filter((pair) => isDraining(noted(pair))).length;
  const staying = pairs.filter((pair) => isCounted(pair, fleet) && noted(pair).drain === undefined);
  const stays = staying.reduce((sum, { host }) => sum + (host?.capacity ?? 0), 0) + fleet.outsideSlots;

  const idleLongEnough = staying
    .filter(
      (pair) =>
        pair.instance.state === "InService" && isIdle(pair) && now - (noted(pair).idleSince ?? now) >= fleet.idleMs,
    )
    .sort((a, b) => noted(b).seenAt - noted(a).seenAt || (a.instance.id < b.instance.id ? 1 : -1));
  if (idleLongEnough.length === 0) return { chosen: [], reasons: ["no host has been idle long enough"] };

  const most = Math.min(fleet.maxDrains - draining, desired - draining - min);
  const chosen: Pair[] = [];
  const reasons: string[] = [];
  let left = stays;
  for (const pair of idleLongEnough) {
    const capacity = pair.host?.capacity ?? 0;
    if (left - capacity < neededSlots) {
      reasons.push(`${neededSlots} slots are needed of ${left}`);
      break;
    }
    if (chosen.length >= most) {
      reasons.push(
        desired - draining - chosen.length <= min
          ? `MinSize is ${min}`
          : `${draining + chosen.length} of ${fleet.maxDrains} drains are under way`,
      );
      break;
    }
    chosen.push(pair);
    left -= capacity;
  }
  return { chosen, reasons };
}
