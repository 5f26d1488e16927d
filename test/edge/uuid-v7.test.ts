import { expect, test } from "vitest";
import { isUuidV7 } from "../../infra/local/helmr/model/uuid.ts";
import { uuidV7 } from "../../lib/edge/uuid-v7.ts";

test("the RFC's own example comes out (RFC 9562, appendix A.6)", () => {
  const random = Buffer.from("0cc318c4dc0c0c07398f", "hex");
  expect(uuidV7(Date.parse("2022-02-22T19:22:22.000Z"), random)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
});

test("whatever the random bytes are, it is canonical and sorts by its millisecond", () => {
  const now = Date.parse("2026-10-22T12:00:00Z");
  const ids = [255, 0].map((fill, index) => uuidV7(now + index, new Uint8Array(10).fill(fill)));
  expect(ids.every(isUuidV7)).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(() => uuidV7(now, new Uint8Array(9))).toThrow(RangeError);
});
