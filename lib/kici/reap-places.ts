import type { LiveSet, Place } from "../ledger/live-set.ts";
import { type AgentName, type AgentRecord, concluded } from "./agent-record.ts";
import { describeLagMs } from "./conclude.ts";
import type { TeardownParts } from "./parts.ts";
import { decideLooked, decidePlace } from "./reap-decision.ts";
import { tellTrail } from "./tell-trail.ts";

/** A place among a scaler's living agents, for which the complete list of living instances showed none. */
export interface EmptyPlace extends AgentName {
  readonly set: LiveSet;
  readonly place: Place;
}

/** Repairs what the ledger believes of agents that the cloud does not show. Gives how many places became free. */
export async function reapPlaces(
  parts: TeardownParts,
  places: readonly EmptyPlace[],
): Promise<{ readonly freed: number }> {
  const records = await parts.agents.readAll(places);
  const now = parts.clock.now();
  const judged = places.map((place, index) => {
    const record = records[index]?.value;
    return { place, record, fate: decidePlace(place.place, record, now, describeLagMs) };
  });
  const looked = judged.flatMap(({ place, record, fate }) =>
    fate === "look" && record?.instanceId !== undefined ? [{ place, record, id: record.instanceId }] : [],
  );
  const shown = looked.length === 0 ? [] : await parts.instances.shown(looked.map(({ id }) => id));

  const free = judged.filter(({ fate }) => fate === "free").map(({ place }) => place);
  for (const { place } of judged.filter(({ fate }) => fate === "conclude")) {
    if (await concludeUnseen(parts, place)) free.push(place);
  }
  for (const { place, record, id } of looked) {
    const instance = shown.find((each) => each.id === id);
    const verdict = decideLooked(record, instance, now, describeLagMs);
    if (verdict === "alive") tellTagsLost(parts, place, id);
    if (verdict === "gone" && (await recordGone(parts, place, id))) free.push(place);
  }
  // Only the taking that was judged: an agent that came back since has a place of its own.
  for (const { set, place } of free) await parts.liveSets.free(set, place.name, place.since);
  if (free.length > 0) parts.metrics.count("ReaperFinds", free.length);
  return { freed: free.length };
}

/** It runs, and the list by tags did not show it: nobody may end it until a person puts its tags back. */
function tellTagsLost(parts: TeardownParts, place: EmptyPlace, id: string): void {
  parts.logger.log("error", "finding", { code: "tags_lost", resource: id, ...nameOf(place) });
  parts.metrics.count("ConfigError", 1, { Code: "tags_lost", Scaler: place.scaler });
}

const nameOf = ({ scaler, agent }: AgentName): AgentName => ({ scaler, agent });

/** An attempt of which nothing was seen for longer than EC2 can lag: it launched nothing. */
async function concludeUnseen(parts: TeardownParts, place: EmptyPlace): Promise<boolean> {
  const now = parts.clock.now();
  const record = await parts.agents.change(place, (value) => {
    if (value?.phase !== "launching" || decidePlace(place.place, value, now, describeLagMs) !== "conclude")
      return undefined;
    return concluded(value, value.withdrawn === undefined ? "failed" : "ended");
  });
  if (record?.phase === "failed" || record?.phase === "ended") {
    const reasons = ["nothing of it was seen for longer than EC2 can lag"];
    await tellTrail(parts, nameOf(place), { decided: "conclude the attempt", reasons, outcome: record.phase });
  }
  parts.logger.log("warn", "attempt concluded", { ...nameOf(place), phase: record?.phase });
  return record?.phase === "failed" || record?.phase === "ended";
}

async function recordGone(parts: TeardownParts, place: EmptyPlace, instanceId: string): Promise<boolean> {
  const end = (value: AgentRecord | undefined) =>
    value?.phase === "launched" && value.instanceId === instanceId ? concluded(value, "ended") : undefined;
  const record = await parts.agents.change(place, end);
  if (record?.phase !== "ended") return false;
  const line = { decided: "record the end", reasons: ["EC2 does not show the instance any more"], outcome: "ended" };
  await tellTrail(parts, nameOf(place), { saw: { instance: instanceId }, ...line });
  return true;
}
