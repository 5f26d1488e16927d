import type { Refusal } from "../edge/http-answer.ts";
import { readEvent, tagValue, text } from "./event-fields.ts";

/** The contract's reasons. What is done is the same for each (kici-notes 1). */
const knownReasons = new Set(["shutdown", "heartbeat-timeout", "spawn-timeout", "idle", "job-complete", "drain"]);

/** A `kici.scaler.scale-down` payload, checked. */
export interface ScaleDownEvent {
  readonly scalerName: string;
  readonly agentId: string;
  readonly reason: string;
  readonly requestId: string;
}

/** A reason of a newer orchestrator tears down as well: an instance that nobody wants is worse than an unknown word. */
export const isKnownReason = (reason: string): boolean => knownReasons.has(reason);

export function readScaleDown(body: Uint8Array): { event: ScaleDownEvent } | { refusal: Refusal } {
  return readEvent(body, (fields) => ({
    scalerName: tagValue(fields, "scalerName"),
    agentId: tagValue(fields, "agentId"),
    reason: tagValue(fields, "reason"),
    requestId: text(fields, "requestId"),
  }));
}
