import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWebhookSigned, webhookKey, whyNotCurrent } from "../../lib/edge/standard-webhooks.ts";

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
  readonly body: string;
}

const { cases } = JSON.parse(readFileSync(new URL("../vectors/standard-webhooks.json", import.meta.url), "utf8")) as {
  cases: readonly Vector[];
};

const headersOf = (vector: Vector) => ({
  id: vector["webhook-id"],
  timestamp: vector["webhook-timestamp"],
  signature: vector["webhook-signature"],
});
const keyOf = (vector: Vector) => webhookKey(vector.secret) ?? Buffer.alloc(0);

describe.each(cases.map((vector) => [vector.name, vector] as const))("the signature of a %s", (_, vector) => {
  const body = Buffer.from(vector.body);

  test("is accepted", () => expect(isWebhookSigned(headersOf(vector), body, keyOf(vector))).toBe(true));

  test("is accepted among others, as a sender rotates", () => {
    const others = "v1,AAAA v1a,eFujMjA2pZrs v2,x";
    const signature = `${others} ${vector["webhook-signature"]} v1,${Buffer.alloc(32).toString("base64")}`;
    expect(isWebhookSigned({ ...headersOf(vector), signature }, body, keyOf(vector))).toBe(true);
  });

  test("is refused for any other body, id, timestamp or key", () => {
    const headers = headersOf(vector);
    const key = keyOf(vector);
    expect(isWebhookSigned(headers, Buffer.concat([body, Buffer.from(" ")]), key)).toBe(false);
    expect(isWebhookSigned({ ...headers, id: `${headers.id}x` }, body, key)).toBe(false);
    expect(isWebhookSigned({ ...headers, timestamp: `${Number(headers.timestamp) + 1}` }, body, key)).toBe(false);
    expect(isWebhookSigned(headers, body, Buffer.alloc(32, 1))).toBe(false);
  });
});

test("any signature that is not the right one is refused, and none throws", () => {
  const key = Buffer.alloc(32, 3);
  const right = createHmac("sha256", key).update("i.1.body").digest("base64");
  fc.assert(
    fc.property(fc.string(), (signature) => {
      fc.pre(!signature.split(" ").includes(`v1,${right}`));
      expect(isWebhookSigned({ id: "i", timestamp: "1", signature }, Buffer.from("body"), key)).toBe(false);
      expect(isWebhookSigned({ id: "i", timestamp: "1", signature: `v1,${signature}` }, Buffer.from("body"), key)).toBe(
        signature === right,
      );
    }),
  );
});

test("a secret is base64 with or without whsec_, and one that is too short is none", () => {
  const bytes = Buffer.alloc(32, 5);
  expect(webhookKey(`whsec_${bytes.toString("base64")}`)).toEqual(bytes);
  expect(webhookKey(bytes.toString("base64"))).toEqual(bytes);
  // What the stack generates: 48 letters and digits.
  expect(webhookKey("Ab1".repeat(16))).toHaveLength(36);
  for (const bad of [
    "",
    "whsec_",
    "whsec_AAAA",
    "not base64 at all!",
    "replace-me",
    bytes.toString("hex").slice(0, 20),
  ]) {
    expect(webhookKey(bad)).toBeUndefined();
  }
});

test("a message is current for five minutes either way, and only with all three headers", () => {
  const headers = { id: "i", timestamp: "1796083200", signature: "v1,x" };
  const now = 1_796_083_200_000;
  for (const skew of [0, 300_000, -300_000]) expect(whyNotCurrent(headers, now + skew, 300_000)).toBeUndefined();
  for (const skew of [301_000, -301_000]) expect(whyNotCurrent(headers, now + skew, 300_000)).toContain("300 s");
  for (const name of ["id", "timestamp", "signature"]) {
    expect(whyNotCurrent({ ...headers, [name]: undefined }, now, 300_000)).toContain("must all be there");
  }
  for (const timestamp of ["", " 1796083200", "1.796e9", "0x6b0d", "-1796083200", "1796083200,1796083200"]) {
    expect(whyNotCurrent({ ...headers, timestamp }, now, 300_000)).toBeDefined();
  }
});
