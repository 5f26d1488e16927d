import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTimestamp } from "../../lib/zoomies/timestamp.ts";

describe("a sender's timestamp", () => {
  test.each([
    ["2026-09-05T12:00:00Z", "2026-09-05T12:00:00.000000000Z", Date.UTC(2026, 8, 5, 12)],
    ["2026-09-05T12:00:00.5Z", "2026-09-05T12:00:00.500000000Z", Date.UTC(2026, 8, 5, 12, 0, 0, 500)],
    ["2026-09-05T12:00:00.123456789Z", "2026-09-05T12:00:00.123456789Z", Date.UTC(2026, 8, 5, 12, 0, 0, 123)],
    ["2026-09-05T12:00:00.000000001Z", "2026-09-05T12:00:00.000000001Z", Date.UTC(2026, 8, 5, 12)],
    ["2026-09-05T14:30:00.25+02:30", "2026-09-05T12:00:00.250000000Z", Date.UTC(2026, 8, 5, 12, 0, 0, 250)],
    ["2026-09-04T22:00:00-14:00", "2026-09-05T12:00:00.000000000Z", Date.UTC(2026, 8, 5, 12)],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000000000Z", Date.UTC(2028, 1, 29)],
    ["1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.900000000Z", -100],
  ])("%s is %s", (text, normal, ms) => {
    expect(readTimestamp(text)).toEqual({ text: normal, ms });
  });

  test.each([
    "",
    "now",
    "1788609600",
    "2026-09-05",
    "2026-09-05T12:00:00",
    "2026-09-05 12:00:00Z",
    "2026-09-05t12:00:00z",
    "2026-9-5T12:00:00Z",
    "2026-09-05T12:00Z",
    "2026-09-05T12:00:00.Z",
    "2026-09-05T12:00:00,5Z",
    "2026-09-05T12:00:00.1234567890Z",
    "2026-09-05T12:00:00Z ",
    "\n2026-09-05T12:00:00Z",
    "2026-09-05T12:00:00Z\n",
    "+02026-09-05T12:00:00Z",
    "2026-00-05T12:00:00Z",
    "2026-13-05T12:00:00Z",
    "2026-02-30T12:00:00Z",
    "2027-02-29T12:00:00Z",
    "2026-09-00T12:00:00Z",
    "2026-09-31T12:00:00Z",
    "2026-09-05T24:00:00Z",
    "2026-09-05T12:60:00Z",
    "2026-09-05T12:00:60Z",
    "2026-09-05T12:00:00+0200",
    "2026-09-05T12:00:00+24:00",
    "2026-09-05T12:00:00+02:60",
    "2026-09-05T12:00:00-99:99",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "٢٠٢٦-09-05T12:00:00Z",
  ])("%j is refused", (text) => {
    expect(readTimestamp(text)).toBeUndefined();
  });
});

/** Nanoseconds since the epoch, within the years that four digits name and two-digit years do not confuse. */
const instant = fc.bigInt({ min: BigInt(Date.UTC(200, 0)) * 1_000_000n, max: BigInt(Date.UTC(9999, 11)) * 1_000_000n });
const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });

/** The moment as a sender in that zone would write it, its fraction cut behind the last digit that is not 0. */
function written(nanoseconds: bigint, offsetMinutes: number): string {
  const shifted = nanoseconds + BigInt(offsetMinutes) * 60_000_000_000n;
  const second = ((shifted % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const whole = new Date(Number((shifted - second) / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = second === 0n ? "" : `.${String(second).padStart(9, "0").replace(/0+$/, "")}`;
  if (offsetMinutes === 0) return `${whole}${fraction}Z`;
  const size = Math.abs(offsetMinutes);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${whole}${fraction}${offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function read(nanoseconds: bigint, offsetMinutes: number) {
  const timestamp = readTimestamp(written(nanoseconds, offsetMinutes));
  if (timestamp === undefined) throw new Error(`${written(nanoseconds, offsetMinutes)} was refused.`);
  return timestamp;
}

test("its text is in the order of time, to the nanosecond, whatever digits and zones were sent", () => {
  const near = instant.chain((first) => fc.tuple(fc.constant(first), fc.bigInt({ min: first - 3n, max: first + 3n })));
  fc.assert(
    fc.property(fc.oneof(near, fc.tuple(instant, instant)), offset, offset, ([a, b], zoneOfA, zoneOfB) => {
      const textA = read(a, zoneOfA).text;
      const textB = read(b, zoneOfB).text;
      expect(Math.sign(textA < textB ? -1 : textA > textB ? 1 : 0)).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
    { numRuns: 1_000 },
  );
});

test("its milliseconds are the moment's, the digits below dropped", () => {
  fc.assert(
    fc.property(instant, offset, (nanoseconds, zone) => {
      const below = ((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
      expect(read(nanoseconds, zone).ms).toBe(Number((nanoseconds - below) / 1_000_000n));
    }),
  );
});
