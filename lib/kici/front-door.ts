import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode, errorKind } from "../capacity/error-codes.ts";
import { answerJson, type Refusal, refuse } from "../edge/http-answer.ts";
import type { HttpHandler } from "../edge/http-handler.ts";
import { header, maxBodyBytes, rawBody } from "../edge/http-request.ts";
import { errorFields, type Logger } from "../edge/logger.ts";
import { SecretNotSet, SecretUnreadable, type SigningSecret } from "../edge/signing-secret.ts";
import { isWebhookSigned, webhookKey, whyNotCurrent } from "../edge/standard-webhooks.ts";
import { type Deadline, stoppable } from "../edge/stoppable.ts";
import { OutOfTime, withinTime } from "../edge/within-time.ts";
import { LedgerUnavailable } from "../ledger/table.ts";
import { type Answer, refusedWith } from "./answer.ts";
import type { TeardownParts } from "./parts.ts";

export interface DoorParts extends TeardownParts {
  readonly secret: SigningSecret;
  /** How far a signed timestamp may be from our clock, either way, in milliseconds. */
  readonly replayMs: number;
  /** What leaves as the answer. */
  readonly reply: (answer: Answer) => Answer;
}

/** What is left of the function's time when it answers at the latest, in milliseconds. */
const reserveMs = 1_500;

/** One invocation's time, milliseconds since the epoch. */
export interface Run {
  readonly beganAt: number;
  /** When the function itself ends. */
  readonly endsAt: number;
}

export interface Door<P, E> {
  readonly read: (body: Uint8Array) => { event: E } | { refusal: Refusal };
  /** Fields that every line about this event carries: never a label, a URL or a claim code. */
  readonly fields: (event: E) => Readonly<Record<string, string>>;
  readonly act: (parts: P, event: E, run: Run) => Promise<Answer>;
}

/** A forwarded KiCI event behind a route: verifies, reads, acts, and answers in the issue's own words and statuses. */
export function frontDoor<P extends DoorParts, E>(parts: P, door: Door<P, E>): HttpHandler {
  return async (request, context) => {
    const left = context.getRemainingTimeInMillis();
    const beganAt = parts.clock.now();
    const run: Run = { beganAt, endsAt: beganAt + left };
    let logger = parts.logger.with({ correlationId: context.awsRequestId });
    const deadline: Deadline = { over: false };
    const pass = async (): Promise<Answer> => {
      const read = await verified(parts, door, request);
      if ("refusal" in read) return read;
      logger = logger.with(door.fields(read.event));
      return door.act({ ...portsUntil(parts, deadline), logger }, read.event, run);
    };
    try {
      const answer = parts.reply(await withinTime(pass(), left - reserveMs));
      if (answer.refusal !== undefined) return refused(parts, logger, answer.refusal);
      if (answer.status === "observed") {
        logger.log("info", "observed");
        return refuse(observing);
      }
      logger.log("info", "answered", { status: answer.status, instanceId: answer.instanceId });
      return answerJson(answer.status === "launched" ? 201 : 200, { ...answer });
    } catch (error) {
      deadline.over = true;
      logger.log("error", "failed", errorFields(error));
      return refused(
        parts,
        logger,
        refusalOf(error),
        error instanceof SecretNotSet || errorKind(errorCode(error)) === "denied",
      );
    }
  };
}

/** No failure: nobody counts it as one. */
const observing: Refusal = {
  status: 503,
  code: "observe_mode",
  message:
    "Drover only observes, so nothing was launched or ended. Set the stack's parameter Mode to act, or remove drover:paused.",
};

const portNames = new Set(["instances", "agents", "liveSets", "trail", "launches", "templates", "types", "coolOffs"]);

/** The same parts, whose ports begin nothing once the answer has left: what is undone belongs to a repeat or to the reaper. */
function portsUntil<P extends object>(parts: P, deadline: Deadline): P {
  const guarded = Object.entries(parts).map(([name, part]) => [
    name,
    portNames.has(name) ? stoppable(part as object, deadline) : part,
  ]);
  return Object.fromEntries(guarded) as P;
}

/** The event in exactly the bytes that were signed: nothing in them is looked at before. */
async function verified<P extends DoorParts, E>(parts: P, { read }: Door<P, E>, request: APIGatewayProxyEventV2) {
  const body = rawBody(request);
  if (body.length > maxBodyBytes) {
    return refusedWith(413, "body_too_large", `The body is larger than ${maxBodyBytes} bytes, and no event is.`);
  }
  const all = request.headers ?? {};
  const headers = {
    id: header(all, "webhook-id"),
    timestamp: header(all, "webhook-timestamp"),
    signature: header(all, "webhook-signature"),
  };
  const why = whyNotCurrent(headers, parts.clock.now(), parts.replayMs);
  if (why !== undefined) return refusedWith(401, "bad_signature", why);
  if (!(await parts.secret.accepts((secret) => isWebhookSigned(headers, body, keyOf(secret))))) {
    const message =
      "webhook-signature must be a Standard Webhooks v1 signature of the exact body, by the secret that Drover has.";
    return refusedWith(401, "bad_signature", message);
  }
  return read(body);
}

function keyOf(secret: Buffer): Buffer {
  const key = webhookKey(secret.toString());
  if (key === undefined) throw new SecretNotSet("The signing secret is not base64 of 24 to 64 bytes.");
  return key;
}

function refused(parts: DoorParts, logger: Logger, refusal: Refusal, needsPerson = isOperators(refusal)) {
  const { status, code, message } = refusal;
  logger.log(status >= 500 ? "error" : "warn", "refused", { status, code, detail: message });
  if (needsPerson || status >= 500) countRefusal(parts.metrics, code, {}, needsPerson);
  return refuse(refusal);
}

/** Refused for something that stands in the operator's tags or configuration, not in AWS's capacity. */
const isOperators = ({ status }: Refusal): boolean => status === 404 || status === 422;

function refusalOf(error: unknown): Refusal {
  const refusal = (code: string, message: string, retryAfter = 5): Refusal => ({
    status: 503,
    code,
    message,
    retryAfter,
  });
  if (error instanceof SecretNotSet) {
    const message = "The signing secret is not set. Put the same value into Drover's secret and into the KiCI context.";
    return refusal("secret_not_set", message, 60);
  }
  if (error instanceof SecretUnreadable) {
    return refusal("secret_unreadable", "The signing secret could not be read now.");
  }
  if (error instanceof LedgerUnavailable) return refusal("ledger_unreachable", "The ledger could not be reached now.");
  if (error instanceof OutOfTime) {
    return refusal(
      "out_of_time",
      "AWS took too long to answer. What was recorded is settled by a repeat or by the reaper.",
      10,
    );
  }
  // An AWS answer that no branch expected, by its own code and never its message.
  return refusal(errorCode(error), `AWS could not be reached or refused (${errorCode(error)}).`);
}
