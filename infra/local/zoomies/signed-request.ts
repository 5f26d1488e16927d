import { createHmac } from "node:crypto";
import { type CapacityEvent, encodeEvent } from "./event.ts";

export type SignedRequest = { body: Buffer; headers: Record<string, string> };

/** `sha256=` and the lower-case hex HMAC-SHA256 of exactly these bytes; the secret counts as raw UTF-8 bytes. */
export function signature(body: Buffer, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** An event as the sender posts it: header names as Go spells them on HTTP/1.1, Go's own user agent (notes 1). */
export function signedRequest(event: CapacityEvent, secret: string): SignedRequest {
  const body = encodeEvent(event);
  return {
    body,
    headers: {
      "User-Agent": "Go-http-client/1.1",
      "Content-Length": String(body.length),
      "Content-Type": "application/json",
      "X-Zoomies-Event-Id": event.event_id,
      "X-Zoomies-Signature-256": signature(body, secret),
      "X-Zoomies-Timestamp": event.timestamp,
      "Accept-Encoding": "gzip",
    },
  };
}
