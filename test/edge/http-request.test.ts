import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { header, rawBody } from "../../lib/edge/http-request.ts";

describe("a request's header", () => {
  test.each(["x-zoomies-signature-256", "X-Zoomies-Signature-256", "X-ZOOMIES-SIGNATURE-256"])(
    "is found under %s",
    (name) => {
      expect(header({ [name]: "value" }, "X-Zoomies-Signature-256")).toBe("value");
      expect(header({ [name]: "value" }, "x-zoomies-signature-256")).toBe("value");
    },
  );

  test("that is absent is undefined, and an empty one is not", () => {
    expect(header({}, "x-id")).toBeUndefined();
    expect(header({ "x-id": undefined }, "x-id")).toBeUndefined();
    expect(header({ "x-id": "" }, "x-id")).toBe("");
  });

  test("that came twice under two spellings is both values, so that no check sees only one of them", () => {
    expect(header({ "X-Id": "a", "x-id": "b" }, "x-id")).toBe("a,b");
  });

  test("is not found by a name that only contains it, nor on the object's prototype", () => {
    expect(header({ "x-id-2": "a" }, "x-id")).toBeUndefined();
    expect(header({}, "constructor")).toBeUndefined();
  });
});

describe("a request's body", () => {
  test("is the bytes that were sent, whichever way API Gateway hands them over (cases.md 1)", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const body = Buffer.from(bytes).toString("base64");
        expect(rawBody({ body, isBase64Encoded: true })).toEqual(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(rawBody({ body: text, isBase64Encoded: false })).toEqual(Buffer.from(text, "utf8"));
      }),
    );
  });

  test("is its base64 text when the flag is not set: then that is what was sent", () => {
    expect(rawBody({ body: "e30=", isBase64Encoded: false }).toString()).toBe("e30=");
  });

  test("that is missing is empty", () => {
    expect(rawBody({ isBase64Encoded: false })).toHaveLength(0);
    expect(rawBody({ isBase64Encoded: true })).toHaveLength(0);
  });
});
