import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { countRefusal } from "../capacity/count-refusal.ts";
import { isDenied } from "../capacity/error-codes.ts";
import { isHmacSignature } from "../edge/hmac-signature.ts";
import { type Refusal, refuse } from "../edge/http-answer.ts";
import type { HttpHandler } from "../edge/http-handler.ts";
import { header, maxBodyBytes, rawBody } from "../edge/http-request.ts";
import { errorFields } from "../edge/logger.ts";
import { SecretNotSet, SecretUnreadable, type SigningSecret } from "../edge/signing-secret.ts";
import { stoppable } from "../edge/stoppable.ts";
import { OutOfTime, withinTime } from "../edge/within-time.ts";
import { LedgerUnavailable } from "../ledger/table.ts";
import { type CapacityEvent, readCapacityEvent } from "./event.ts";
import type { DemandParts } from "./parts.ts";
import { type Received, receiveEvent } from "./receive-event.ts";

export interface WebhookParts extends DemandParts {
  readonly secret: SigningSecret;
  /** How far a signed timestamp may be from our clock, either way, in milliseconds. */
  readonly replayMs: number;
  /** The longest that an answer may take, in milliseconds: well inside the sender's own timeout of 10 s. */
  readonly answerWithinMs: number;
}

/** `POST /zoomies/capacity`: verifies, reads, records and applies one event. Every refusal has its own status and code. */
export function capacityWebhook(parts: WebhookParts): HttpHandler {
  return async (request, context) => {
    const logger = parts.logger.with({ correlationId: context.awsRequestId });
    const deadline = { over: false };
    const groups = stoppable(parts.groups, deadline);
    const records = stoppable(parts.records, deadline);
    try {
      const work = receive({ ...parts, groups, records, logger }, request);
      const received = await withinTime(work, parts.answerWithinMs);
      if ("refusal" in received) {
        const { status, code, message } = received.refusal;
        logger.log(status >= 500 ? "error" : "warn", "refused", { status, code, detail: message });
        if (status === 422) parts.metrics.count("ConfigError", 1, { Code: code });
        return refuse(received.refusal);
      }
      logger.log("info", "received", { outcome: received.outcome });
      return { statusCode: 204, headers: { "x-drover-outcome": received.outcome } };
    } catch (error) {
      const refusal = refusalOf(error);
      logger.log("error", "failed", { code: refusal.code, ...errorFields(error) });
      const isConfig = error instanceof SecretNotSet || isDenied(error);
      countRefusal(parts.metrics, refusal.code, {}, isConfig);
      return refuse(refusal);
    } finally {
      deadline.over = true;
    }
  };
}

async function receive(parts: WebhookParts, request: APIGatewayProxyEventV2): Promise<Received> {
  const body = rawBody(request);
  if (body.length > maxBodyBytes) {
    const message = `The body is larger than ${maxBodyBytes} bytes, and no capacity event is.`;
    return { refusal: { status: 413, code: "body_too_large", message } };
  }
  const headers = request.headers ?? {};
  // The exact bytes are verified before anything in them is looked at.
  const signature = header(headers, "x-zoomies-signature-256");
  if (!(await parts.secret.accepts((secret) => isHmacSignature(signature, body, secret)))) {
    const message = "X-Zoomies-Signature-256 must be sha256= and the lower-case hex HMAC-SHA256 of the exact body.";
    return { refusal: { status: 401, code: "bad_signature", message } };
  }
  const read = readCapacityEvent(body);
  if ("refusal" in read) return read;
  const { event } = read;
  const refusal = whyNotAccepted(event, header(headers, "x-zoomies-event-id"), parts);
  if (refusal !== undefined) return { refusal };

  const { eventId, poolId, type, requiredRunnerSlots: required, currentCapacity: capacity } = event;
  const logger = parts.logger.with({ eventId, poolId });
  logger.log("info", "event", { type, required, capacity, queued: event.queuedJobCount });
  return receiveEvent({ ...parts, logger }, event);
}

/** The timestamp header is a copy that nobody signed: only the body's counts (zoomies-notes 1). */
function whyNotAccepted(event: CapacityEvent, idHeader: string | undefined, parts: WebhookParts): Refusal | undefined {
  if (idHeader !== undefined && idHeader !== event.eventId) {
    const message = "X-Zoomies-Event-ID must equal the body's event_id.";
    return { status: 400, code: "event_ids_disagree", message };
  }
  const ageMs = parts.clock.now() - event.timestamp.ms;
  if (Math.abs(ageMs) > parts.replayMs) {
    const message =
      `The event's timestamp is ${Math.round(Math.abs(ageMs) / 1000)} s ${ageMs > 0 ? "old" : "ahead"}, ` +
      `and ${parts.replayMs / 1000} s are allowed. Check the sender's clock.`;
    return { status: 403, code: "outside_replay_window", message };
  }
  return undefined;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof SecretNotSet) {
    const message = "The signing secret is not set. Put the same value into Drover's secret and into Zoomies.";
    return { status: 503, code: "secret_not_set", message };
  }
  if (error instanceof SecretUnreadable) {
    return { status: 503, code: "secret_unreadable", message: "The signing secret could not be read now." };
  }
  if (error instanceof LedgerUnavailable) {
    return { status: 503, code: "ledger_unreachable", message: "The ledger could not be reached now." };
  }
  const code = error instanceof OutOfTime ? "out_of_time" : "aws_unreachable";
  const message = "AWS could not be reached in time. What was recorded will be settled by the next minute run.";
  return { status: 503, code, message };
}
