import { countRefusal } from "../capacity/count-refusal.ts";
import type { Group } from "../capacity/group.ts";
import { zoomiesFleet } from "../capacity/group-fleet.ts";
import { release } from "../ledger/lease.ts";
import { writeGroup } from "../ledger/readings.ts";
import type { Stored, Write } from "../ledger/records.ts";
import type { HeldGroup, ZoomiesRecord } from "./group-record.ts";
import type { Supply } from "./host-observation.ts";
import { demandedAt } from "./in-service.ts";
import type { DemandParts } from "./parts.ts";
import { decideRaise, type RaiseDecision } from "./raise-decision.ts";

export type Settled =
  /** The group has what its readings ask for. */
  | "applied"
  /** What they ask for stays recorded for a later run: capped, stepped, unsafe, paused, busy, only observed, or out of time. */
  | "recorded"
  /** AWS refused or did not answer. What is recorded is settled later. */
  | "failed"
  /** The group that was looked up is no longer the one that is held. Nothing was raised. */
  | "moved";

/** How often one holder looks again because readings came in while it worked; past this the minute run goes on. */
const mostRounds = 5;

/**
 * Brings one held group to what its readings ask for, and lets go of it (design: rule 3, one writer at a time). `look`
 * makes the Describe under the lease; `supply` is what Zoomies was seen to make of the group's hosts. A holder that finds the record changed when it lets go starts over.
 */
export async function settleGroup(
  parts: DemandParts,
  held: HeldGroup,
  look: () => Promise<Group | undefined>,
  supply?: Supply,
): Promise<Settled> {
  let { stored } = held;
  for (let round = 1; ; round += 1) {
    const group = await look().catch(async (error: unknown) => {
      await letGo(parts, held, stored, {});
      throw error;
    });
    if (group === undefined || group.name !== held.name) {
      await letGo(parts, held, stored, {});
      return "moved";
    }
    const decision = decide(parts, group, stored.value, supply);
    const raise = await perform(parts, held, decision);
    const settled = outcomeOf(decision, raise);
    const told = tell(parts, held.name, stored.value, decision, raise);
    if (raise === "unknown") {
      await Promise.all([told, rememberUnanswered(parts, held, stored, decision)]);
      return settled;
    }

    const change = {
      pending: decision.pending || (decision.raiseTo !== undefined && raise !== "accepted"),
      decided: inShort(decision, raise),
      ...(supply?.stop === undefined ? {} : { raiseStop: supply.stop }),
      ...(raise === "accepted" && decision.raiseTo !== undefined
        ? {
            lastRaise: {
              to: decision.raiseTo,
              at: parts.clock.now(),
              demandedAt: demandedAt(stored.value, parts.clock.now()),
            },
          }
        : {}),
    };
    const [left] = await Promise.all([letGo(parts, held, stored, change, round < mostRounds), told]);
    if (left === "done") return settled;
    stored = left;
  }
}

function decide(parts: DemandParts, group: Group, record: ZoomiesRecord, supply: Supply | undefined): RaiseDecision {
  const { readings, lastRaise, pending, raiseStop: stop } = record;
  const now = parts.clock.now();
  const { freshMs } = parts.settings;
  return decideRaise({ group, tags: zoomiesFleet(group), readings, pending, lastRaise, now, freshMs, supply, stop });
}

type Raise =
  | "none"
  | "accepted"
  | "unknown"
  | "observed"
  | "out of time"
  | { readonly refused: string; readonly kind: string };

async function perform(parts: DemandParts, { name, lease }: HeldGroup, { raiseTo }: RaiseDecision): Promise<Raise> {
  if (raiseTo === undefined) return "none";
  // A raise that is answered late must still land while we hold the group, or it could undo somebody's later one.
  if (lease.until - parts.clock.now() <= parts.settings.raiseTimeoutMs * 2) return "out of time";
  const sent = await parts.groups.raise(name, raiseTo);
  return sent.outcome === "refused" ? { refused: sent.code, kind: sent.kind } : sent.outcome;
}

function outcomeOf(decision: RaiseDecision, raise: Raise): Settled {
  if (raise === "unknown") return "failed";
  if (typeof raise === "object") return raise.kind === "busy" ? "recorded" : "failed";
  if (raise === "out of time" || raise === "observed") return "recorded";
  // Held back by MaxSize is as applied as it gets; the record keeps the rest.
  if (decision.pending && !decision.capped) return "recorded";
  return "applied";
}

/** A decision and what came of it, in short. One that is refused again and again is no news. */
function inShort({ raiseTo, from, hosts, reasons }: RaiseDecision, raise: Raise): string {
  const decided = `${from} -> ${raiseTo ?? from} of ${hosts ?? "-"}: ${reasons.join("; ")}`;
  return raise === "none" ? decided : `${decided} (${outcomeText(raise)})`;
}

const outcomeText = (raise: Raise): string => (typeof raise === "object" ? `refused: ${raise.refused}` : raise);

/** Log, metrics and trail of one decision; the trail only when something was done or the decision is a new one. */
async function tell(
  parts: DemandParts,
  group: string,
  record: ZoomiesRecord,
  decision: RaiseDecision,
  raise: Raise,
): Promise<void> {
  const { raiseTo, from, slots, hosts, reasons, capped } = decision;
  const outcome = outcomeText(raise);
  parts.logger.log("info", "decision", { fleet: group, slots, hosts, from, to: raiseTo ?? from, reasons, outcome });
  const fleet = { Fleet: group };
  if (raise === "accepted" && raiseTo !== undefined) {
    parts.metrics.count("Launches", raiseTo - from, { ...fleet, Outcome: "launched" });
  }
  if (raise === "unknown" || typeof raise === "object") {
    countRefusal(parts.metrics, typeof raise === "object" ? raise.refused : "NoAnswer", fleet);
  }
  if (decision.expired) parts.metrics.count("DemandLost", 1, fleet);
  if (raise !== "accepted" && record.decided === inShort(decision, raise)) return;
  if (capped) parts.metrics.count("CapacityCapped", 1, fleet);
  const decided =
    raiseTo === undefined ? `keep desired capacity ${from}` : `raise desired capacity ${from} to ${raiseTo}`;
  const saw = { readings: record.readings, desired: from, slots, hosts };
  await parts.trail.append({ fleet: group, saw, decided, reasons, outcome });
}

/**
 * Keeps what a raise without an answer asked for, so that no later one stays below it while describes may lag. The lease
 * stays and runs out by itself: nobody else may write while this raise can still land.
 */
async function rememberUnanswered(
  { records, clock }: DemandParts,
  { name, lease }: HeldGroup,
  stored: Stored<ZoomiesRecord>,
  { raiseTo }: RaiseDecision,
): Promise<void> {
  if (raiseTo === undefined) return;
  const now = clock.now();
  const lastRaise = { to: raiseTo, at: now, unanswered: true, demandedAt: demandedAt(stored.value, now) } as const;
  let last: Stored<ZoomiesRecord> | undefined = stored;
  while (last !== undefined && last.value.lease?.owner === lease.owner) {
    const written: Write<ZoomiesRecord> = await writeGroup(records, name, last, { ...last.value, lastRaise });
    if (written.outcome === "written") return;
    last = written.stored;
  }
}

/**
 * Writes what changed and ends the lease, unless a reading came in since (and `again` allows another round): then the
 * lease stays, and what stands now comes back.
 */
async function letGo(
  { records }: DemandParts,
  { name, lease }: HeldGroup,
  stored: Stored<ZoomiesRecord>,
  change: Partial<ZoomiesRecord>,
  again = false,
): Promise<"done" | Stored<ZoomiesRecord>> {
  let last = stored;
  let pending = change.pending ?? stored.value.pending;
  for (;;) {
    const value = { ...last.value, ...change, pending, lease: release(lease) };
    const written = await writeGroup(records, name, last, value);
    if (written.outcome === "written" || written.stored === undefined) return "done";
    last = written.stored;
    // Taken over by another owner after ours ran out: the record is theirs to write.
    if (last.value.lease?.owner !== lease.owner) return "done";
    // What came in is as pending as the ledger says: should the next look fail, it must not be written off with ours.
    if (again) return { ...last, value: { ...last.value, ...change, pending: last.value.pending } };
    // Readings came in and there is no time left to look: they are pending, whatever we concluded before them.
    pending = true;
  }
}
