import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CapacityEvent, encodeEvent, goTimestamp, newEventId } from "../../../infra/local/zoomies/event.ts";
import { signature, signedRequest } from "../../../infra/local/zoomies/signed-request.ts";

type Vector = { name: string; secret: string; body_base64: string; signature: string };
const { cases } = JSON.parse(
  readFileSync(new URL("../../vectors/zoomies-signatures.json", import.meta.url), "utf8"),
) as {
  cases: Vector[];
};
const vector = (name: string) => cases.find((each) => each.name.startsWith(name)) as Vector;
const bytes = ({ body_base64 }: Vector) => Buffer.from(body_base64, "base64");

const sample: CapacityEvent = {
  schema_version: 1,
  event_id: "k5v3mq7xw2ratn4zcy6p",
  type: "capacity_demand",
  timestamp: "2026-09-05T12:00:00Z",
  pool_id: "pool_123",
  host_selector: { zone: "eu-west-1" },
  backend: "docker",
  required_runner_slots: 3,
  current_capacity: 8,
  queued_job_count: 3,
  oldest_queue_age_seconds: 74,
};

test.each(cases)("the signature over the exact bytes is the published one: $name", (each) => {
  expect(signature(bytes(each), each.secret)).toBe(each.signature);
});

test("the contract's sample goes out in the sender's exact bytes, whatever order the object had", () => {
  const shuffled = Object.fromEntries(Object.entries(sample).reverse()) as CapacityEvent;
  expect(encodeEvent(shuffled).toString()).toBe(bytes(vector("contract sample")).toString());
});

test("a scale-down with a nanosecond timestamp goes out in the sender's exact bytes", () => {
  const event: CapacityEvent = {
    ...sample,
    type: "scale_down_opportunity",
    timestamp: goTimestamp(Date.UTC(2026, 8, 5, 12, 0, 0, 123), 456_789),
    required_runner_slots: -2,
    queued_job_count: 0,
    oldest_queue_age_seconds: 0,
  };
  expect(encodeEvent(event).toString()).toBe(bytes(vector("nanosecond timestamp")).toString());
});

test("selector keys are sorted, HTML characters escaped as Go does, and a nil selector is null", () => {
  const selector = { zone: "a<b>&\u2028", arch: "arm64" };
  const text = encodeEvent({ ...sample, host_selector: selector }).toString();
  expect(text).toContain('"host_selector":{"arch":"arm64","zone":"a\\u003cb\\u003e\\u0026\\u2028"}');
  expect(encodeEvent({ ...sample, host_selector: null }).toString()).toContain('"host_selector":null,');
});

test.each([
  [0, 0, "2026-09-05T12:00:00Z"],
  [500, 0, "2026-09-05T12:00:00.5Z"],
  [0, 7, "2026-09-05T12:00:00.000000007Z"],
  [120, 340_000, "2026-09-05T12:00:00.12034Z"],
])("a timestamp has its trailing zeros trimmed: %i ms and %i ns is %s", (ms, nanoseconds, text) => {
  expect(goTimestamp(Date.UTC(2026, 8, 5, 12) + ms, nanoseconds)).toBe(text);
});

test("an event id is twenty characters of a-z and 2-7", () => {
  expect(newEventId(Math.random)).toMatch(/^[a-z2-7]{20}$/);
  expect(newEventId(() => 0)).toBe("a".repeat(20));
  expect(newEventId(() => 1 - Number.EPSILON)).toBe("7".repeat(20));
});

test("the request carries the three headers in Go's spelling, with the body's own id and timestamp", () => {
  const { body, headers } = signedRequest(sample, "receiver-secret");
  expect(headers).toEqual({
    "User-Agent": "Go-http-client/1.1",
    "Content-Length": String(body.length),
    "Content-Type": "application/json",
    "X-Zoomies-Event-Id": sample.event_id,
    "X-Zoomies-Signature-256": vector("contract sample").signature,
    "X-Zoomies-Timestamp": sample.timestamp,
    "Accept-Encoding": "gzip",
  });
});
