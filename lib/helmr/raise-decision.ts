import { unsafeToGrow } from "../capacity/safety.ts";
import type { LastRaise } from "./group-memory.ts";
import type { ObservedPool } from "./observation.ts";
import type { GroupStatus, PoolPlan } from "./protocol.ts";

export interface RaiseDecision {
  /** The absolute desired capacity to set; undefined when none is to be. */
  readonly to?: number;
  readonly reasons: readonly string[];
  /** The recommendation was held back by MaxSize or by what the provider can supply. */
  readonly capped: boolean;
}

/** So many stuck hosts, and no fewer than active ones: a pool like that would only pile up more (helmr-notes 7.28). */
const hopelessHosts = 3;

/**
 * How far a pool's desired capacity is to be raised: the recommendation minus what is in flight, within the step, the
 * headroom and MaxSize (invariants 20, 21, 34). A partial plan may raise, never lower (invariant 33).
 */
export function decideRaise(
  observed: ObservedPool,
  row: PoolPlan | undefined,
  groupStatus: GroupStatus,
  lastRaise: LastRaise | undefined,
  is: { readonly now: number; readonly describeLagMs: number },
): RaiseDecision {
  const { fleet, group, pool, inFlight, desired, headroom, count } = observed;
  // Helmr packed more than it may have: what it recommends is held back by the headroom that we reported.
  const isSaturated = row?.saturated === true;
  const none = (reason: string, capped = isSaturated): RaiseDecision => ({ reasons: [reason], capped });
  if (row === undefined) return none(pool.status === "active" ? "no plan" : `the pool is ${pool.status}`);
  const recommended = row.recommended_additional_workers;
  if (recommended <= 0) {
    return none(isSaturated ? "demand meets no headroom: MaxSize is reached" : "no hosts are recommended");
  }
  if (groupStatus !== "active") return none(`the Worker group is ${groupStatus}`);
  if (fleet.paused) return none("the group is tagged as paused");
  const unsafe = unsafeToGrow(group);
  if (unsafe.length > 0) return none(`unsafe to grow: ${unsafe.map(({ code }) => code).join(" ")}`);
  if (observed.lags) return none("the Describe is older than our own terminate");
  if (count.stuck >= hopelessHosts && count.stuck >= count.active) {
    return none(`${count.stuck} hosts never became ready: launching more would pile up more`);
  }
  // An absolute raise that may still land must not undo a later, higher one.
  const isInDoubt = lastRaise?.outcome === "sent" || lastRaise?.outcome === "unknown";
  if (isInDoubt && is.now - lastRaise.at < is.describeLagMs && group.desired < lastRaise.to) {
    return none(`the raise to ${lastRaise.to} was not answered: waiting for a Describe that shows it`);
  }
  const lacking = recommended - inFlight;
  if (lacking <= 0) return none(`${recommended} recommended, ${inFlight} in flight`);
  const room = Math.max(0, Math.min(group.max - desired, headroom - inFlight));
  const launch = Math.min(lacking, room, fleet.maxLaunchStep ?? lacking);
  const why = `${recommended} recommended, ${inFlight} in flight`;
  if (launch <= 0) return none(`${why}, no room below MaxSize ${group.max}`, true);
  const reasons = [launch < lacking ? `${why}, held to ${launch}` : why];
  return { to: desired + launch, reasons, capped: isSaturated || room < lacking };
}
