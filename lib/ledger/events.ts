import type { Records } from "./records.ts";

/** Event ids outlive every sender's retries and cooldown, and a restored backup of the sender too. */
const keptMs = 30 * 24 * 3_600_000;

/** What is kept of an event: enough to say what it was, nothing that it carried in confidence. */
export interface SeenEvent {
  readonly source: string;
  readonly eventId: string;
  /** The sender's own time for it. */
  readonly timestamp: string;
}

export const eventKey = (source: string, eventId: string) => ({ pk: `event#${source}#${eventId}`, sk: "event" });

/** The unique constraint on event ids (the Zoomies contract asks for it; design: the ledger). */
export async function rememberEvent(records: Records, event: SeenEvent): Promise<"recorded" | "duplicate"> {
  const written = await records.create(eventKey(event.source, event.eventId), event, { lifeMs: keptMs });
  return written.outcome === "written" ? "recorded" : "duplicate";
}
