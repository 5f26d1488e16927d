import type { Refusal } from "../edge/http-answer.ts";
import type { JoinParts } from "./join-parts.ts";

/** "Ask again in a moment" decides nothing. */
const undecided = 425;

/**
 * The trail's line about an instance that asked to join: told once for as long as the answer stays the same, since an
 * instance asks again and again.
 */
export async function tellJoin(
  { trail }: JoinParts,
  group: string | undefined,
  instance: string,
  reasons: readonly string[],
  refusal: Refusal | undefined,
): Promise<void> {
  if (group === undefined || refusal?.status === undecided) return;
  const outcome =
    refusal === undefined ? "delivered" : refusal.code === "observe_mode" ? "observed" : `refused: ${refusal.code}`;
  const decided = refusal === undefined || outcome === "observed" ? "deliver a join token" : "deliver no join token";
  await trail.appendChange(`join#${instance}`, { fleet: group, saw: { instance }, decided, reasons, outcome });
}
