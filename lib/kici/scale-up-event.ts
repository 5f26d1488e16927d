import type { Refusal } from "../edge/http-answer.ts";
import { type Fields, labels, optionalText, Refused, readEvent, resources, tagValue, text } from "./event-fields.ts";
import { whyUnreachable } from "./orchestrator-url.ts";

/** A `kici.scaler.scale-up` payload, checked (the contract; kici-notes 1). */
export interface ScaleUpEvent {
  readonly scalerName: string;
  readonly agentId: string;
  /** Exactly what the agent registers with, in this order; its token allows no others. */
  readonly labels: readonly string[];
  readonly resources: { readonly cpus?: number; readonly memBytes?: number };
  readonly orchestratorUrl: string;
  /** Redeemed once by the agent. It goes into user data and nowhere else. */
  readonly claimCode: string;
  readonly requestId: string;
}

/** Reads an event from bytes whose signature was verified. Keys that we do not know are ignored: newer orchestrators add some. */
export function readScaleUp(body: Uint8Array): { event: ScaleUpEvent } | { refusal: Refusal } {
  return readEvent(body, toEvent);
}

function toEvent(fields: Fields): ScaleUpEvent {
  const event: ScaleUpEvent = {
    scalerName: tagValue(fields, "scalerName"),
    agentId: tagValue(fields, "agentId"),
    labels: labels(fields, "labels", 1),
    resources: resources(fields),
    orchestratorUrl: text(fields, "orchestratorUrl"),
    claimCode: text(fields, "claimCode"),
    requestId: text(fields, "requestId"),
  };
  labels(fields, "mandatoryLabels", 0);
  optionalText(fields, "jobId");
  const why = whyUnreachable(event.orchestratorUrl);
  if (why?.malformed) throw new Refused(400, "malformed_event", why.message);
  if (why !== undefined) throw new Refused(422, "orchestrator_unreachable", why.message);
  return event;
}
