import { createHmac, timingSafeEqual } from "node:crypto";

const pattern = /^sha256=[0-9a-f]{64}$/;

/**
 * Whether `signature` is `sha256=` and the lower-case hex HMAC-SHA256 of exactly these bytes (the Zoomies contract).
 * The comparison takes the same time wherever the difference is; only the form of the header can end it early.
 */
export function isHmacSignature(signature: string | undefined, body: Buffer, secret: Buffer): boolean {
  if (signature === undefined || !pattern.test(signature)) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(Buffer.from(signature.slice("sha256=".length), "hex"), expected);
}
