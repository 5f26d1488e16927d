import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CapacityEvent, readCapacityEvent } from "../../lib/zoomies/event.ts";
import { sampleEvent, sampleScaleDown } from "./sample-event.ts";

const readText = (text: string) => readCapacityEvent(Buffer.from(text));
const readBody = (body: object) => readText(JSON.stringify(body));

function accepted(result: ReturnType<typeof readCapacityEvent>): CapacityEvent {
  if ("refusal" in result) throw new Error(`Refused: ${result.refusal.message}`);
  return result.event;
}

function refused(result: ReturnType<typeof readCapacityEvent>) {
  if (!("refusal" in result)) throw new Error("Accepted.");
  return result.refusal;
}

/** The sample's text with one value written as no JavaScript number or object could be. */
const sampleWith = (name: keyof typeof sampleEvent, written: string): string =>
  JSON.stringify({ ...sampleEvent, [name]: "@@" }).replace('"@@"', written);

function without(name: keyof typeof sampleEvent): object {
  return Object.fromEntries(Object.entries(sampleEvent).filter(([key]) => key !== name));
}

test("the contract's sample is read, every field of it", () => {
  expect(accepted(readBody(sampleEvent))).toEqual({
    eventId: "k5v3mq7xw2ratn4zcy6p",
    type: "capacity_demand",
    timestamp: { text: "2026-09-05T12:00:00.000000000Z", ms: Date.UTC(2026, 8, 5, 12) },
    poolId: "pool_123",
    hostSelector: { zone: "eu-west-1" },
    backend: "docker",
    requiredRunnerSlots: 3,
    currentCapacity: 8,
    queuedJobCount: 3,
    oldestQueueAgeSeconds: 74,
  });
});

test("a scale-down opportunity is read too", () => {
  expect(accepted(readBody(sampleScaleDown))).toMatchObject({
    type: "scale_down_opportunity",
    requiredRunnerSlots: -2,
    queuedJobCount: 0,
  });
});

describe("is accepted", () => {
  test.each<[string, string]>([
    ["an unknown key: adding one never raises the version", JSON.stringify({ ...sampleEvent, reason: { a: [1] } })],
    ["a null selector", JSON.stringify({ ...sampleEvent, host_selector: null })],
    ["an absent selector", JSON.stringify(without("host_selector"))],
    ["an empty selector", JSON.stringify({ ...sampleEvent, host_selector: {} })],
    ["a fleet of nothing, to be scaled from zero", JSON.stringify({ ...sampleEvent, current_capacity: 0 })],
    ["a scale-down to nothing", JSON.stringify({ ...sampleScaleDown, required_runner_slots: -8 })],
    ["a whole number with a fraction of 0", sampleWith("required_runner_slots", "3.0")],
    ["spaces and line breaks", JSON.stringify(sampleEvent, null, 2)],
    ["text of 128 characters", JSON.stringify({ ...sampleEvent, pool_id: "p".repeat(128) })],
    ["another order of its keys", JSON.stringify(Object.fromEntries(Object.entries(sampleEvent).reverse()))],
  ])("%s", (_, text) => {
    accepted(readText(text));
  });

  test("a selector's or body's key that names a part of every object, as a plain key", () => {
    const selector = '{"__proto__":"a","constructor":"b","toString":"c"}';
    const event = accepted(readText(sampleWith("host_selector", selector)));
    expect(Object.entries(event.hostSelector)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
      ["toString", "c"],
    ]);
    const poisoned = `{"__proto__":{"schema_version":1},"constructor":{"prototype":{"x":1}},${JSON.stringify(sampleEvent).slice(1)}`;
    expect(accepted(readText(poisoned)).poolId).toBe("pool_123");
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("is not what a body's __proto__ pretends to hold", () => {
    const inherited = `{"__proto__":${JSON.stringify(sampleEvent)}}`;
    expect(refused(readText(inherited)).code).toBe("unknown_schema_version");
    expect(refused(readText(`{"schema_version":1,"__proto__":${JSON.stringify(sampleEvent)}}`)).message).toContain(
      "type",
    );
  });
});

describe("schema_version comes first:", () => {
  test.each<[string, object]>([
    ["none, as old senders do", without("schema_version")],
    ["0", { ...sampleEvent, schema_version: 0 }],
    ["2", { ...sampleEvent, schema_version: 2 }],
    ["the text 1", { ...sampleEvent, schema_version: "1" }],
    ["null", { ...sampleEvent, schema_version: null }],
    ["true", { ...sampleEvent, schema_version: true }],
    ["1.5", { ...sampleEvent, schema_version: 1.5 }],
    ["2 with nothing else that we know", { schema_version: 2 }],
  ])("%s is refused before any other field is looked at", (_, body) => {
    const refusal = refused(readBody(body));
    expect(refusal).toMatchObject({ status: 400, code: "unknown_schema_version" });
    expect(refusal.message).toContain("schema_version");
  });
});

describe("a field that is missing or null is named:", () => {
  const fields = Object.keys(sampleEvent).filter((key) => key !== "schema_version" && key !== "host_selector");

  test.each(fields)("%s", (field) => {
    for (const body of [without(field as keyof typeof sampleEvent), { ...sampleEvent, [field]: null }]) {
      const refusal = refused(readBody(body));
      expect(refusal).toMatchObject({ status: 400, code: "malformed_event" });
      expect(refusal.message).toMatch(new RegExp(`^${field} must be `));
    }
  });
});

describe("a value out of bounds is refused with its field's name:", () => {
  const numbers = [
    "required_runner_slots",
    "current_capacity",
    "queued_job_count",
    "oldest_queue_age_seconds",
  ] as const;
  const noNumber = ['"3"', "3.5", "1e309", "-1e309", "1e400", "true", "[3]", "{}", "9007199254740993", "1e20", "-1"];

  test.each(numbers.flatMap((field) => noNumber.map((written) => [field, written] as const)))(
    "%s %s",
    (field, written) => {
      const refusal = refused(readText(sampleWith(field, written)));
      expect(refusal).toMatchObject({ status: 400, code: "malformed_event" });
      expect(refusal.message).toMatch(new RegExp(`^${field} must be `));
    },
  );

  test.each<[keyof typeof sampleEvent, unknown]>([
    ["required_runner_slots", 0],
    ["required_runner_slots", 1_000_001],
    ["current_capacity", 1_000_001],
    ["queued_job_count", 0],
    ["queued_job_count", 1_000_001],
    ["type", "capacity"],
    ["type", "CAPACITY_DEMAND"],
    ["type", 1],
    ["timestamp", "yesterday"],
    ["timestamp", "2026-02-30T12:00:00Z"],
    ["timestamp", 1_788_609_600],
    ["event_id", ""],
    ["event_id", "x".repeat(129)],
    ["event_id", "a\nb"],
    ["event_id", "a\u0000b"],
    ["event_id", "a\u0085b"],
    ["event_id", ["a"]],
    ["event_id", "\ud800"],
    ["pool_id", ""],
    ["pool_id", 7],
    ["pool_id", "x\udfff"],
    ["pool_id", "p".repeat(129)],
    ["backend", ""],
    ["backend", {}],
    ["host_selector", []],
    ["host_selector", "zone=a"],
    ["host_selector", 1],
    ["host_selector", { zone: 1 }],
    ["host_selector", { zone: null }],
    ["host_selector", { zone: { a: "b" } }],
    ["host_selector", { "": "a" }],
    ["host_selector", { zone: "z".repeat(257) }],
  ])("%s %j", (field, value) => {
    const refusal = refused(readBody({ ...sampleEvent, [field]: value }));
    expect(refusal).toMatchObject({ status: 400, code: "malformed_event" });
    expect(refusal.message).toMatch(new RegExp(`^${field} must `));
  });
});

describe("sign and type must agree:", () => {
  test.each<[string, object]>([
    ["a demand for fewer slots", { ...sampleEvent, required_runner_slots: -3 }],
    ["a demand for no slots", { ...sampleEvent, required_runner_slots: 0 }],
    ["a scale-down of more slots", { ...sampleScaleDown, required_runner_slots: 2 }],
    ["a scale-down of no slots", { ...sampleScaleDown, required_runner_slots: 0 }],
  ])("%s", (_, body) => {
    expect(refused(readBody(body)).message).toMatch(
      /^required_runner_slots must be .* in a (capacity_demand|scale_down_opportunity)\.$/,
    );
  });

  test.each<[string, object, RegExp]>([
    ["a scale-down with jobs waiting", { ...sampleScaleDown, queued_job_count: 1 }, /^queued_job_count must be 0 /],
    ["a scale-down of nothing", { ...sampleScaleDown, current_capacity: 0 }, /^current_capacity must be /],
    ["a scale-down below nothing", { ...sampleScaleDown, required_runner_slots: -9 }, /must not be negative\.$/],
  ])("%s", (_, body, message) => {
    expect(refused(readBody(body)).message).toMatch(message);
  });
});

describe("a body that is no event is refused:", () => {
  test.each<[string, string]>([
    ["nothing", ""],
    ["spaces", "  "],
    ["no JSON", "capacity_demand"],
    ["half an object", '{"schema_version":1'],
    ["null", "null"],
    ["a number", "1"],
    ["an array", `[${JSON.stringify(sampleEvent)}]`],
    ["the same key twice", `{"pool_id":"pool_1",${JSON.stringify(sampleEvent).slice(1)}`],
    ["the same key twice, once escaped", `{"pool\\u005fid":"pool_1",${JSON.stringify(sampleEvent).slice(1)}`],
    ["the same key twice in its selector", sampleWith("host_selector", '{"zone":"a","zone":"b"}')],
    ["deep nesting that is not closed", "[".repeat(60_000)],
  ])("%s", (_, text) => {
    expect(refused(readText(text))).toMatchObject({ status: 400, code: "malformed_event" });
  });

  test("bytes that are not UTF-8", () => {
    expect(refused(readCapacityEvent(Buffer.from([0xff, 0xfe, 0x7b, 0x7d])))).toMatchObject({ status: 400 });
  });
});

test("deep nesting under an unknown key changes nothing", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  accepted(readText(`{"extra":${deep},${JSON.stringify(sampleEvent).slice(1)}`));
});

test("a refusal never repeats a value of the body", () => {
  for (const field of Object.keys(sampleEvent)) {
    const { message } = refused(readBody({ ...sampleEvent, [field]: { hush: ["hush-hush"] } }));
    expect(message).not.toContain("hush-hush");
  }
});

test("whatever the bytes and the fields, it reads or refuses, and what it reads keeps the bounds", () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(sampleEvent)), fc.integer(), fc.double());
  const fields = fc.dictionary(fc.constantFrom(...Object.keys(sampleEvent)), value);
  fc.assert(
    fc.property(fc.constantFrom(sampleEvent, sampleScaleDown), fields, (sample, changes) => {
      const result = readBody({ ...sample, ...changes });
      if ("refusal" in result) {
        expect(result.refusal.status).toBe(400);
        return;
      }
      const { requiredRunnerSlots: required, currentCapacity: capacity, type } = result.event;
      expect(capacity + required).toBeGreaterThanOrEqual(0);
      expect(Math.sign(required)).toBe(type === "capacity_demand" ? 1 : -1);
      expect(Number.isSafeInteger(required) && Number.isSafeInteger(capacity)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(refused(readCapacityEvent(bytes)).status).toBe(400);
    }),
  );
});
