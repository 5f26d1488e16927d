import { errorFields } from "../edge/logger.ts";
import type { TrailEntry } from "../ledger/trail.ts";
import type { AgentName } from "./agent-record.ts";
import { type TeardownParts, trailOf } from "./parts.ts";

/**
 * A line of a scaler's trail about one agent, told once for as long as it stays the same: KiCI and its workflows repeat
 * themselves. What was done is durable without it, so a line that cannot be written is no reason to answer otherwise.
 */
export async function tellTrail(
  { trail, logger }: Pick<TeardownParts, "trail" | "logger">,
  { scaler, agent }: AgentName,
  line: Pick<TrailEntry, "decided" | "reasons" | "outcome"> & { readonly saw?: TrailEntry["saw"] },
): Promise<void> {
  const { saw = {}, decided, reasons, outcome } = line;
  await trail
    .appendChange(`${decided}#${agent}`, { fleet: trailOf(scaler), saw: { agent, ...saw }, decided, reasons, outcome })
    .catch((error: unknown) => logger.log("warn", "trail not written", errorFields(error)));
}
