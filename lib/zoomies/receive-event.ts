import type { Group } from "../capacity/group.ts";
import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { Refusal } from "../edge/http-answer.ts";
import { eventKey, rememberEvent, type SeenEvent } from "../ledger/events.ts";
import type { Stored } from "../ledger/records.ts";
import type { CapacityEvent } from "./event.ts";
import { findFleet } from "./find-fleet.ts";
import { recordReading } from "./group-record.ts";
import type { DemandParts } from "./parts.ts";
import { type KnownPool, poolKey } from "./pool-directory.ts";
import { readingOf } from "./reading.ts";
import { whyNotServed } from "./serves.ts";
import { settleGroup } from "./settle-group.ts";

export type Outcome = "applied" | "recorded" | "duplicate" | "superseded";
export type Received = { readonly outcome: Outcome } | { readonly refusal: Refusal };

const source = "zoomies";
const awsRefused: Refusal = {
  status: 503,
  code: "aws_unreachable",
  message:
    "Auto Scaling refused or did not answer. The reading is recorded and will be settled by the next minute run.",
};

/**
 * Records a verified event and, for demand, applies it under the group's lease (design: rule 4). The reading is durable
 * before the event id is, so that an id once seen always stands for a reading that a scheduled run will find; whoever
 * dies in between leaves a reading that its own retry recognises.
 */
export async function receiveEvent(parts: DemandParts, event: CapacityEvent): Promise<Received> {
  const keys = [eventKey(source, event.eventId), poolKey(event.poolId)];
  const [seen, known] = await parts.records.readAll<unknown>(keys);
  const pool = known as Stored<KnownPool> | undefined;
  const fleet = pool?.value.fleet;
  // An id that was seen and then refused because its pool had gone is refused again, not accepted at its second try.
  if (seen !== undefined && fleet !== undefined) return { outcome: "duplicate" };
  // Unknown pool, or what we knew of it would refuse the event: only a fresh look may say so. Nothing hastens the other
  // type, so it is recorded with the group that serves its pool now.
  const isDemand = event.type === "capacity_demand";
  if (pool === undefined || fleet === undefined || !isDemand || whyNotServed(fleet, event) !== undefined) {
    return receiveAfresh(parts, event, pool);
  }
  const received = await recordAndApply(parts, event, fleet);
  if (received !== "moved" && !("left" in received)) return received;
  // Left to the group's holder, who looks at the group and not at the pool: is it still the pool's?
  if (received !== "moved" && (await findGroup(parts, event))?.name === fleet.group) return received.left;
  const afresh = await receiveAfresh(parts, event, pool);
  // What we knew was wrong: neither this event's next try nor the pool's next event shall be recorded by it.
  if ("refusal" in afresh) await parts.records.replace(poolKey(event.poolId), pool, {} satisfies KnownPool);
  return afresh;
}

async function receiveAfresh(
  parts: DemandParts,
  event: CapacityEvent,
  known: Stored<KnownPool> | undefined,
): Promise<Received> {
  const found = await findFleet(parts.groups, event.poolId);
  if (found.refusal !== undefined) return { refusal: found.refusal };
  const refusal = whyNotServed(found.fleet, event);
  if (refusal !== undefined) return { refusal };
  // Who loses the race for the directory was overtaken by somebody who looked at the same time: either answer will do.
  const key = poolKey(event.poolId);
  const pool: KnownPool = { fleet: found.fleet };
  const remember = known === undefined ? parts.records.create(key, pool) : parts.records.replace(key, known, pool);
  const [received] = await Promise.all([recordAndApply(parts, event, found.fleet), remember]);
  // Moved twice within one request: the reading is recorded with a group that served the pool a moment ago.
  if (received === "moved") return { refusal: awsRefused };
  return "left" in received ? received.left : received;
}

/** The group that serves the event as its tags say now; undefined when there is none, or it could not run the jobs. */
async function findGroup({ groups }: DemandParts, event: CapacityEvent): Promise<Group | undefined> {
  const found = await findFleet(groups, event.poolId);
  const isServed = found.refusal === undefined && whyNotServed(found.fleet, event) === undefined;
  return isServed ? found.group : undefined;
}

/** `left`: recorded, and for another writer or the minute run to apply. */
async function recordAndApply(
  parts: DemandParts,
  event: CapacityEvent,
  fleet: ZoomiesFleet,
): Promise<Received | "moved" | { readonly left: Received }> {
  const toAct = event.type === "capacity_demand";
  const recorded = await recordReading(parts, fleet.group, event.poolId, readingOf(event), toAct);
  if (recorded.outcome !== "recorded") return { outcome: recorded.outcome };
  const seen: SeenEvent = { source, eventId: event.eventId, timestamp: event.timestamp.text };
  const remembered = rememberEvent(parts.records, seen);
  if (recorded.held === undefined) {
    await remembered;
    return { left: { outcome: "recorded" } };
  }
  const settled = await settleGroup(parts, recorded.held, async () => {
    // The id is durable before anything is raised, and does not have to wait for the look at the group.
    const [group] = await Promise.all([findGroup(parts, event), remembered]);
    return group;
  });
  if (settled === "moved") return "moved";
  return settled === "failed" ? { refusal: awsRefused } : { outcome: settled };
}
