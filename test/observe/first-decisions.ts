import type { TrailEntry } from "../../lib/ledger/trail.ts";
import { ledgerItems } from "../functions/ledger-items.ts";

/** What was seen, decided and why, without what two worlds cannot have in common: ids, times, and what came of it. */
export type Decided = Pick<TrailEntry, "fleet" | "saw" | "decided" | "reasons">;

/** Names that differ from world to world, by key. */
const own = new Set(["at", "order", "eventId", "host", "key", "tokenId"]);

/** Decisions with instances numbered in the order in which they appear. */
export function comparable(entries: readonly TrailEntry[]): Decided[] {
  const numbers = new Map<string, string>();
  const named = (text: string) =>
    text.replaceAll(/\bi-[0-9a-f]{8,17}\b/g, (id) => {
      if (!numbers.has(id)) numbers.set(id, `instance ${numbers.size + 1}`);
      return numbers.get(id) ?? id;
    });
  return entries.map(({ fleet, saw, decided, reasons }) => {
    const kept = JSON.stringify(saw, (key, value: unknown) => (own.has(key) ? undefined : value));
    return JSON.parse(named(JSON.stringify({ fleet, saw: JSON.parse(kept), decided, reasons }))) as Decided;
  });
}

/** The first line about each thing: an agent, an instance, or the group as a whole. */
export function firstDecisions(entries: readonly TrailEntry[]): TrailEntry[] {
  const bySubject = Map.groupBy(entries, ({ saw }) => saw["agent"] ?? saw["instance"] ?? "group");
  return [...bySubject.values()].flatMap(([first]) => first ?? []);
}

/** A fleet's whole trail, oldest first, read beside the functions. */
export async function trailOf(world: Parameters<typeof ledgerItems>[0], fleet: string): Promise<TrailEntry[]> {
  const items = await ledgerItems(world);
  return items.filter(({ pk }) => pk === `trail#${fleet}`).map(({ body }) => JSON.parse(body) as TrailEntry);
}
