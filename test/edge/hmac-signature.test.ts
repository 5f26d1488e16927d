import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isHmacSignature } from "../../lib/edge/hmac-signature.ts";
import { rawBody } from "../../lib/edge/http-request.ts";

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly body_base64: string;
  readonly signature: string;
}

const file = new URL("../vectors/zoomies-signatures.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Vector[] };

describe.each(cases)("$name", (vector) => {
  const body = Buffer.from(vector.body_base64, "base64");
  const secret = Buffer.from(vector.secret);

  test("verifies with its secret, and as base64 with its flag (cases.md 1)", () => {
    expect(isHmacSignature(vector.signature, body, secret)).toBe(true);
    const encoded = rawBody({ body: vector.body_base64, isBase64Encoded: true });
    expect(isHmacSignature(vector.signature, encoded, secret)).toBe(true);
  });

  test("does not verify with another secret, nor with one byte more or less", () => {
    expect(isHmacSignature(vector.signature, body, Buffer.from(`${vector.secret} `))).toBe(false);
    expect(isHmacSignature(vector.signature, body, Buffer.from(vector.secret.slice(1)))).toBe(false);
    expect(isHmacSignature(vector.signature, Buffer.concat([body, Buffer.from("\n")]), secret)).toBe(false);
    if (body.length > 0) expect(isHmacSignature(vector.signature, body.subarray(1), secret)).toBe(false);
  });

  test("does not verify as base64 text without the flag (cases.md 1)", () => {
    if (body.length === 0) return;
    const text = rawBody({ body: vector.body_base64, isBase64Encoded: false });
    expect(isHmacSignature(vector.signature, text, secret)).toBe(false);
  });
});

describe("a signature header", () => {
  const body = Buffer.from("{}");
  const secret = Buffer.from("receiver-secret");
  const hex = createHmac("sha256", secret).update(body).digest("hex");

  test.each([
    ["that is missing", undefined],
    ["that is empty", ""],
    ["in upper-case hex", `sha256=${hex.toUpperCase()}`],
    ["with an upper-case prefix", `SHA256=${hex}`],
    ["without its prefix", hex],
    ["of another algorithm (cases.md 3)", `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`],
    ["with the prefix alone", "sha256="],
    ["one digit short", `sha256=${hex.slice(1)}`],
    ["one digit long", `sha256=${hex}0`],
    ["with a digit that is none", `sha256=${hex.slice(1)}g`],
    ["in base64", `sha256=${Buffer.from(hex, "hex").toString("base64")}`],
    ["sent twice", `sha256=${hex},sha256=${hex}`],
    ["with a line break at its end", `sha256=${hex}\n`],
    ["with a space before it", ` sha256=${hex}`],
    ["with its last digit changed", `sha256=${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`],
  ])("%s is refused", (_, signature) => {
    expect(isHmacSignature(signature, body, secret)).toBe(false);
  });

  test("as the sender makes it is accepted", () => {
    expect(isHmacSignature(`sha256=${hex}`, body, secret)).toBe(true);
  });
});
