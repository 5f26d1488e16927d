import type { Records } from "../ledger/records.ts";

const keptMs = 30 * 24 * 3_600_000;
/** A message of EventBridge is far smaller; of another one this much shows what it is. */
const keptCharacters = 4_096;

/**
 * Puts a message aside that nobody can read, so that it neither comes again nor holds its neighbours up (cases.md 14). It says
 * whether it was put there now: a second delivery of it counts for nothing.
 */
export async function quarantine(records: Records, messageId: string, body: string): Promise<boolean> {
  const key = { pk: "quarantine#interruption", sk: messageId };
  const written = await records.create(key, { body: body.slice(0, keptCharacters) }, { lifeMs: keptMs });
  return written.outcome === "written";
}
