import { errorFields } from "../edge/logger.ts";
import type { TrailEntry } from "../ledger/trail.ts";
import type { AgentName } from "./agent-record.ts";
import { type TeardownParts, trailOf } from "./parts.ts";

interface Line extends Pick<TrailEntry, "decided" | "reasons" | "outcome"> {
  readonly saw?: TrailEntry["saw"];
  /** What happens once for an agent needs no look at what was said before. */
  readonly once?: boolean;
}

/**
 * A line of a scaler's trail about one agent, told once for as long as it stays the same: KiCI and its workflows repeat
 * themselves. What was done is durable without it, so a line that cannot be written is no reason to answer otherwise.
 */
export async function tellTrail(
  { trail, logger }: Pick<TeardownParts, "trail" | "logger">,
  { scaler, agent }: AgentName,
  { saw = {}, once = false, ...line }: Line,
): Promise<void> {
  const entry = { fleet: trailOf(scaler), saw: { agent, ...saw }, ...line };
  const told = once ? trail.append(entry) : trail.appendChange(`${line.decided}#${agent}`, entry);
  await told.catch((error: unknown) => logger.log("warn", "trail not written", errorFields(error)));
}
