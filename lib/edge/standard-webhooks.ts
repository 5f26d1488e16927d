import { createHmac, timingSafeEqual } from "node:crypto";

/** The three headers of a Standard Webhooks message, as they came. */
export interface WebhookHeaders {
  readonly id: string | undefined;
  /** Seconds since the epoch, in decimal. */
  readonly timestamp: string | undefined;
  /** `v1,BASE64`, several of them separated by spaces while the sender rotates. */
  readonly signature: string | undefined;
}

const prefix = "whsec_";
/** The scheme's own bounds for a key, in bytes (Standard Webhooks, "Signature scheme"). */
const shortestKey = 24;
const longestKey = 64;
const wholeSeconds = /^\d{1,12}$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The key that a secret stands for: base64, with or without `whsec_` before it. undefined for anything else, and for a
 * key so short that its signatures prove nothing (an empty one would let everybody sign).
 */
export function webhookKey(secret: string): Buffer | undefined {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  if (!base64.test(encoded)) return undefined;
  const key = Buffer.from(encoded, "base64");
  return key.length >= shortestKey && key.length <= longestKey ? key : undefined;
}

/** Why a message cannot be trusted, before any secret is looked at; undefined when its headers are in order. */
export function whyNotCurrent({ id, timestamp, signature }: WebhookHeaders, now: number, toleranceMs: number) {
  if (id === undefined || timestamp === undefined || signature === undefined || id === "") {
    return "The headers webhook-id, webhook-timestamp and webhook-signature must all be there.";
  }
  if (!wholeSeconds.test(timestamp)) return "webhook-timestamp must be the seconds since 1970, in digits.";
  if (Math.abs(now - Number(timestamp) * 1000) > toleranceMs) {
    return `webhook-timestamp must be within ${toleranceMs / 1000} s of now. Check the sender's clock, and sign each try anew.`;
  }
  return undefined;
}

/** Whether one of the signatures is the HMAC-SHA256 of exactly this id, timestamp and body. */
export function isWebhookSigned(headers: WebhookHeaders, body: Buffer, key: Buffer): boolean {
  const { id = "", timestamp = "", signature = "" } = headers;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  // Every candidate is compared, and each in constant time.
  return signature.split(" ").reduce((found, candidate) => isEqual(candidate, expected) || found, false);
}

function isEqual(candidate: string, expected: Buffer): boolean {
  const [version, encoded = ""] = candidate.split(",", 2);
  if (version !== "v1" || !base64.test(encoded)) return false;
  const given = Buffer.from(encoded, "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
