import type { Outcome } from "../lambda/invocation.ts";

export type HttpAnswer = { status: number; headers: Record<string, string>; cookies: readonly string[]; body: Buffer };

/**
 * What an HTTP API answers for an invocation. A function that failed, or whose answer has no valid form, is a 500; one
 * that could not run in time or found no concurrency is a 503.
 */
export function httpAnswer(outcome: Outcome): HttpAnswer {
  switch (outcome.kind) {
    case "answered":
      return functionAnswer(outcome.value) ?? gatewayAnswer(500, "Internal Server Error");
    case "failed":
    case "killed":
      return gatewayAnswer(500, "Internal Server Error");
    case "timed-out":
    case "throttled":
      return gatewayAnswer(503, "Service Unavailable");
  }
}

/** An answer that the gateway gives by itself. */
export function gatewayAnswer(status: number, message: string): HttpAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    cookies: [],
    body: Buffer.from(JSON.stringify({ message })),
  };
}

/**
 * A function's answer in format 2.0: with `statusCode` it is taken as said, without it the whole value is a JSON body of
 * a 200. Undefined when it is neither; an absent answer counts as that, because here it is always a handler's mistake.
 */
function functionAnswer(value: unknown): HttpAnswer | undefined {
  if (value === null) return undefined;
  if (typeof value !== "object" || !("statusCode" in value)) return inferred(value);
  const {
    statusCode,
    headers = {},
    cookies = [],
    body = "",
    isBase64Encoded = false,
  } = value as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599 || typeof body !== "string") return undefined;
  if (typeof headers !== "object" || headers === null || !Array.isArray(cookies)) return undefined;
  const named: Record<string, string> = {};
  for (const [name, each] of Object.entries(headers)) {
    if (typeof each === "object") return undefined;
    named[name.toLowerCase()] = String(each);
  }
  if (body !== "") named["content-type"] ??= "text/plain;charset=UTF-8";
  const bytes = Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8");
  return { status, headers: named, cookies: cookies.map(String), body: bytes };
}

function inferred(value: unknown): HttpAnswer {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return { status: 200, headers: { "content-type": "application/json" }, cookies: [], body: Buffer.from(body) };
}
