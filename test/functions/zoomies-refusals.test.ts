import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeEvent } from "../../infra/local/zoomies/event.ts";
import { startWorld, type TestWorld } from "../world.ts";
import { ledgerItems } from "./ledger-items.ts";

const oddSecret = 's3cr3t ü a<&%"\\z';
const pool = "pool_k5v3mq7xw2rat";
let world: TestWorld;

beforeAll(async () => {
  world = await startWorld({
    zoomiesSecret: oddSecret,
    fleets: [
      { name: "linux", pools: [pool], slotsPerHost: 4, tags: { "drover:host-selector/zone": "eu-west-1" } },
      { name: "bad", pools: ["pool_bad"], slotsPerHost: 4, tags: { "drover:slots-per-host": "four" } },
      { name: "twin-a", pools: ["pool_twin"], slotsPerHost: 4 },
      { name: "twin-b", pools: ["pool_twin"], slotsPerHost: 4 },
      {
        name: "weighted",
        pools: ["pool_weighted"],
        slotsPerHost: 4,
        group: { mixed: { LaunchTemplate: { Overrides: [{ InstanceType: "m7g.large", WeightedCapacity: "2" }] } } },
      },
    ],
  });
});
afterAll(() => world.close());

const good = () => world.event({ pool, capacity: 8, slots: 3 });
type Fields = Record<string, unknown>;

/** A good event with fields changed; `undefined` takes a field away. */
const body = (change: Fields) => Buffer.from(JSON.stringify({ ...(good() as Fields), ...change }));
/** A good event as text, for what no encoder would write. */
const text = (replace: (json: string) => string) => Buffer.from(replace(JSON.stringify(good())));

interface Bad {
  readonly body?: () => Buffer;
  readonly headers?: () => Record<string, string>;
  readonly status: number;
  readonly code: string;
  /** What the sentence must name. */
  readonly says: string;
}

const malformed = (says: string, make: () => Buffer): Bad => ({
  body: make,
  status: 400,
  code: "malformed_event",
  says,
});
const field = (name: string, value: unknown): [string, Bad] => [
  `${name} = ${JSON.stringify(value) ?? "absent"}`,
  malformed(name, () => body({ [name]: value })),
];
const signature = (change: (good: string) => string): Bad => {
  const bytes = () => Buffer.from(encodeEvent(good()));
  return {
    body: bytes,
    headers: () => ({ "X-Zoomies-Signature-256": change(world.sign(bytes())) }),
    status: 401,
    code: "bad_signature",
    says: "X-Zoomies-Signature-256",
  };
};

const bad: readonly [string, Bad][] = [
  ["empty body", malformed("empty", () => Buffer.alloc(0))],
  [
    "invalid UTF-8",
    {
      ...malformed("UTF-8", () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
      // As base64, the only way in which API Gateway hands such bytes over unchanged.
      headers: () => ({ "Content-Type": "application/octet-stream" }),
    },
  ],
  ["invalid JSON", malformed("JSON", () => Buffer.from("{"))],
  ["a JSON array", malformed("object", () => Buffer.from("[]"))],
  ["duplicate keys", malformed("twice", () => text((json) => json.replace("{", '{"pool_id":"other",')))],
  ["duplicate keys, one escaped", malformed("twice", () => text((json) => json.replace("{", '{"pool_\\u0069d":"x",')))],
  ["deep nesting", malformed("object", () => Buffer.from("[".repeat(30_000) + "]".repeat(30_000)))],
  ["1e309 slots", malformed("required_runner_slots", () => text((json) => json.replace(':3,"cur', ':1e309,"cur')))],
  field("required_runner_slots", "3"),
  field("required_runner_slots", 2.5),
  field("required_runner_slots", 0),
  field("required_runner_slots", -3),
  field("required_runner_slots", 2 ** 60),
  field("required_runner_slots", undefined),
  field("current_capacity", -1),
  field("current_capacity", "8"),
  field("current_capacity", 1e15),
  field("queued_job_count", 0),
  field("queued_job_count", null),
  field("oldest_queue_age_seconds", -1),
  field("oldest_queue_age_seconds", 1.5),
  field("timestamp", "2026-02-30T12:00:00Z"),
  field("timestamp", 1_788_000_000),
  field("event_id", ""),
  field("event_id", "x".repeat(129)),
  field("event_id", 7),
  field("pool_id", "a\u0000b"),
  field("pool_id", undefined),
  field("type", "capacity_wish"),
  field("backend", 3),
  field("host_selector", ["zone"]),
  field("host_selector", { zone: 1 }),
  ["sign and type disagree", malformed("scale_down", () => body({ type: "scale_down_opportunity" }))],
  [
    "a scale-down past nothing",
    malformed("negative", () =>
      body({
        type: "scale_down_opportunity",
        required_runner_slots: -9,
        queued_job_count: 0,
        oldest_queue_age_seconds: 0,
      }),
    ),
  ],
  ["no schema_version", version(undefined)],
  ["schema_version 2", version(2)],
  ['schema_version "1"', version("1")],
  ["no signature", signature(() => "")],
  ["a signature for other bytes", signature((good) => good.replace(/[0-9a-f]$/, (last) => (last === "0" ? "1" : "0")))],
  ["an upper-case signature", signature((good) => good.toUpperCase().replace("SHA256", "sha256"))],
  ["a signature without sha256=", signature((good) => good.slice(7))],
  ["a doubled signature", signature((good) => `${good}, ${good}`)],
  [
    "event ids that disagree",
    {
      headers: () => ({ "X-Zoomies-Event-Id": "another" }),
      status: 400,
      code: "event_ids_disagree",
      says: "X-Zoomies-Event-ID",
    },
  ],
  ["an event from 301 s ago", outside(-301_000)],
  ["an event from 301 s ahead", outside(301_000)],
  ["a pool nobody serves", refused(404, "pool_not_served", { pool_id: "pool_nobody" }, "pool_nobody")],
  [
    "a pool id longer than any tag",
    refused(404, "pool_not_served", { pool_id: "p".repeat(128) }, "drover:zoomies-pool/"),
  ],
  ["a pool of two groups", refused(422, "pool_served_twice", { pool_id: "pool_twin" }, "twin-a and twin-b")],
  ["a group with a bad tag", refused(422, "bad_tags", { pool_id: "pool_bad" }, "drover:slots-per-host on bad")],
  ["a group with weights", refused(422, "bad_tags", { pool_id: "pool_weighted" }, "weights")],
  ["another backend", refused(422, "backend_not_served", { backend: "podman" }, "drover:zoomies-backend")],
  [
    "a selector without a tag",
    refused(422, "selector_not_served", { host_selector: { gpu: "yes" } }, "drover:host-selector/gpu"),
  ],
  ["a selector with another value", refused(422, "selector_not_served", { host_selector: { zone: "x" } }, "zone=x")],
  ["an os the group says nothing of", refused(422, "selector_not_served", { host_selector: { os: "linux" } }, "os")],
  ["a selector called __proto__", malformedOrUnserved()],
  [
    "a body over 64 KiB",
    { body: () => body({ note: "x".repeat(66_000) }), status: 413, code: "body_too_large", says: "65536" },
  ],
];

function version(value: unknown): Bad {
  // Whatever else is wrong: the version is what the answer is about.
  return {
    body: () => body({ schema_version: value, type: "?" }),
    status: 400,
    code: "unknown_schema_version",
    says: "schema_version must be 1",
  };
}

function outside(ms: number): Bad {
  const timestamp = () => new Date(world.clock.now() + ms).toISOString();
  return { body: () => body({ timestamp: timestamp() }), status: 403, code: "outside_replay_window", says: "301 s" };
}

function refused(status: number, code: string, change: Fields, says: string): Bad {
  return { body: () => body(change), status, code, says };
}

function malformedOrUnserved(): Bad {
  return {
    body: () => text((json) => json.replace('"host_selector":{}', '"host_selector":{"__proto__":"x"}')),
    status: 422,
    code: "selector_not_served",
    says: "__proto__=x",
  };
}

describe("what is refused changes nothing and names the fix", () => {
  test.each(bad)("%s", async (_, { body: make, headers, status, code, says }) => {
    const bytes = (make ?? (() => Buffer.from(encodeEvent(good()))))();
    const before = await ledgerItems(world);
    world.faults.reset();
    const printed = world.lines.length;
    const reply = await world.post(bytes, headers?.());

    expect(reply).toMatchObject({ status, code });
    expect(reply.message).toContain(says);
    expect(world.faults.mutations()).toEqual([]);
    expect(await ledgerItems(world)).toEqual(before);
    const log = world.lines.slice(printed).join("\n");
    expect(log).toContain(code);
    expect(log).not.toContain(oddSecret);
    expect(log).not.toContain(world.sign(bytes));
    if (bytes.length > 40) expect(log).not.toContain(bytes.subarray(0, 40).toString("utf8"));
  });
});

describe("what is odd but sound is accepted", () => {
  test.each<[string, () => Buffer]>([
    ["unknown keys, nested ones too", () => body({ note: { deep: [1, { a: null }] } })],
    ["host_selector null", () => body({ host_selector: null })],
    ["host_selector absent", () => body({ host_selector: undefined })],
    ["a selector that the group's tags answer", () => body({ host_selector: { zone: "eu-west-1" } })],
    [
      "a timestamp without a fraction",
      () => body({ timestamp: new Date(world.clock.now()).toISOString().replace(".000", "") }),
    ],
    [
      "a timestamp at the edge of the window",
      () => body({ timestamp: new Date(world.clock.now() + 300_000).toISOString() }),
    ],
  ])("%s", async (_, make) => {
    const reply = await world.post(make());
    expect(reply.status).toBe(204);
  });

  test("a body that arrives as base64, and one whose flag is missing is not what was signed (cases.md 1)", async () => {
    const bytes = body({});
    expect((await world.post(bytes, { "Content-Type": "application/octet-stream" })).status).toBe(204);
    const base64 = Buffer.from(bytes.toString("base64"));
    expect(await world.post(base64, { "X-Zoomies-Signature-256": world.sign(bytes) })).toMatchObject({ status: 401 });
  });

  test("GET is not an event", async () => {
    const answer = await fetch(`${world.api}/zoomies/capacity`);
    expect(answer.status).toBe(404);
  });
});
