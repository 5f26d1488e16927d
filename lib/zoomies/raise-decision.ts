import type { Group } from "../capacity/group.ts";
import type { FleetOrFindings, ZoomiesFleet } from "../capacity/group-fleet.ts";
import { unsafeToGrow } from "../capacity/safety.ts";
import type { LastRaise } from "../ledger/readings.ts";
import type { Supply } from "./host-observation.ts";
import type { PoolReading } from "./reading.ts";
import { servedReadings } from "./served-readings.ts";
import { targetSlots } from "./target.ts";

export interface RaiseObservation {
  readonly group: Group;
  readonly tags: FleetOrFindings<ZoomiesFleet>;
  /** Newest reading by pool id, pools that the group no longer serves among them. */
  readonly readings: Readonly<Record<string, PoolReading>>;
  /** Whether the record says that some of it was not met yet. */
  readonly pending: boolean;
  readonly lastRaise: LastRaise | undefined;
  readonly now: number;
  /** How long a reading counts, in milliseconds. */
  readonly freshMs: number;
  /** What the group's hosts are known to be worth; undefined where Zoomies is not asked. */
  readonly supply?: Supply | undefined;
  /** A stop noted earlier, which holds where the supply is not known. */
  readonly stop?: Supply["stop"] | undefined;
}

export interface RaiseDecision {
  /** The desired capacity to set, in hosts; undefined leaves the group as it is. Always above what the group has. */
  readonly raiseTo: number | undefined;
  readonly from: number;
  /** Slots wanted of the group's pools, and the hosts that come to. Undefined: nobody asks. */
  readonly slots: number | undefined;
  readonly hosts: number | undefined;
  /** Whether demand is left for a later run to meet. */
  readonly pending: boolean;
  /** Whether MaxSize, and nothing else, holds the rest back. */
  readonly capped: boolean;
  /** Demand that was ours to meet grew too old before it was met, and no newer reading stands in for it. */
  readonly expired: boolean;
  readonly reasons: readonly string[];
}

/** A describe may show the group as it was before our own raise for some seconds; past this it is believed again. */
export const describeLagMs = 120_000;

/**
 * How far to raise one group now (design: rule 3). `capacity_demand` never lowers a group, whatever the numbers: a
 * cordoned or silent host drops out of Zoomies' count while it still runs (zoomies-notes 3, trap 2).
 */
export function decideRaise(observation: RaiseObservation): RaiseDecision {
  const { group, tags, readings, lastRaise, now, freshMs } = observation;
  const lagging = lastRaise !== undefined && now - lastRaise.at < describeLagMs && lastRaise.to > group.desired;
  const raised = lagging ? Math.min(lastRaise.to, group.max) : group.desired;
  const from = lagging && lastRaise.unanswered ? group.desired : raised;
  const stay = { raiseTo: undefined, from, slots: undefined, hosts: undefined, capped: false, expired: false };
  if (tags.fleet === undefined) {
    return { ...stay, pending: true, reasons: tags.findings.map(({ message }) => message) };
  }
  const { fleet } = tags;
  const served = servedReadings(fleet, readings);
  const { supply } = observation;
  const slots = larger(targetSlots(served, now, freshMs), supply?.needed);
  if (slots === undefined) {
    const once = targetSlots(served, now, Number.POSITIVE_INFINITY);
    const isUnmet = observation.pending && once !== undefined && Math.min(hostsFor(once, fleet), group.max) > from;
    const reason = isUnmet ? "demand grew too old before it was met" : "no pool of this group asks for slots now";
    return { ...stay, pending: false, expired: isUnmet && !fleet.paused, reasons: [reason] };
  }

  // Slots that desired capacity stands for and that Zoomies does not count are bought on top (zoomies-notes 3, trap 3).
  const lost = supply?.lost ?? 0;
  const hosts = hostsFor(slots, fleet, lost);
  const reasons = [sizing(slots, hosts, lost, fleet)];
  const within = Math.max(Math.min(hosts, group.max), group.min);
  const capped = hosts > group.max;
  if (capped) reasons.push(`MaxSize ${group.max} holds back ${hosts - group.max} of ${hosts} hosts`);
  if (hosts < group.min) reasons.push(`MinSize ${group.min} is more than the ${hosts} hosts asked for`);
  const known = { from, slots, hosts, capped, expired: false };
  if (within <= from) {
    reasons.push(`desired capacity is ${from} already`);
    // Behind our own raise, or lowered by somebody since: which of the two, only a describe past the lag can tell.
    return { ...known, raiseTo: undefined, pending: capped || group.desired < within, reasons };
  }
  const held = whyHeld(observation);
  if (held.length > 0) {
    return { ...known, capped: false, raiseTo: undefined, pending: true, reasons: [...reasons, ...held] };
  }
  const step = Math.min(within, from + (fleet.maxLaunchStep ?? Number.POSITIVE_INFINITY));
  // A raise that nobody answered may have landed behind this describe: going below it would lower the group.
  const raiseTo = Math.max(step, raised);
  if (raiseTo < within) reasons.push(`one step adds at most ${fleet.maxLaunchStep} hosts, the next run goes on`);
  return { ...known, capped: capped && raiseTo === within, raiseTo, pending: raiseTo < hosts, reasons };
}

/** What stands against raising at all now. */
function whyHeld({ group, tags, supply, stop, now }: RaiseObservation): string[] {
  const unsafe = unsafeToGrow(group).map(({ message }) => message);
  if (unsafe.length > 0) return unsafe;
  const stopped = supply === undefined ? stop : supply.stop;
  if (stopped !== undefined && stopped.until > now) return [stopped.reason];
  return tags.fleet?.paused ? ["the group is paused"] : [];
}

/** Hosts for so many slots; slots that are `lost` inside the group need hosts beside those that stand for them. */
const hostsFor = (slots: number, { outsideSlots, slotsPerHost }: ZoomiesFleet, lost = 0): number =>
  slots <= outsideSlots ? 0 : Math.ceil((slots - outsideSlots + lost) / slotsPerHost);

function sizing(slots: number, hosts: number, lost: number, { slotsPerHost, outsideSlots }: ZoomiesFleet): string {
  const outside = outsideSlots > 0 ? `, ${outsideSlots} of them outside the group` : "";
  const uncounted = lost > 0 ? `, ${lost} more stand in the group uncounted` : "";
  return `${slots} slots wanted${outside}${uncounted}, ${slotsPerHost} a host: ${hosts} hosts`;
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
