import type { APIGatewayProxyEventV2 } from "aws-lambda";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorld, type TestWorld } from "../world.ts";

const pool = "pool_123";
let world: TestWorld;
beforeAll(async () => {
  world = await startWorld({ fleets: [{ name: "linux", pools: [pool], slotsPerHost: 4 }] });
});
afterAll(() => world.close());

const anyHeaders = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant(undefined)), { maxKeys: 6 });
const signatureHeader = fc.constantFrom(
  "x-zoomies-signature-256",
  "X-Zoomies-Signature-256",
  "X-ZOOMIES-SIGNATURE-256",
);
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.json({ maxDepth: 4 }).map((json) => Buffer.from(json)),
  fc.constant(Buffer.alloc(70_000, 0x20)),
);
/** Events that are almost right: one field of a good one replaced by anything. */
const almost = fc
  .tuple(
    fc.constantFrom(
      "schema_version",
      "event_id",
      "type",
      "timestamp",
      "backend",
      "host_selector",
      "required_runner_slots",
    ),
    fc.jsonValue({ maxDepth: 2 }),
  )
  .map(([field, value]) => ({ field, value }));

async function callHandler(request: Partial<APIGatewayProxyEventV2>): Promise<number> {
  const run = await world.functions.invoke("ZoomiesWebhook", request);
  expect(run.outcome.kind).toBe("answered");
  const { value } = run.outcome as { value: { statusCode: number; body?: string } };
  expect(value.statusCode).toBeGreaterThanOrEqual(200);
  if (value.statusCode !== 204) {
    expect(JSON.parse(value.body ?? "")).toEqual({ code: expect.any(String), message: expect.any(String) });
  }
  return value.statusCode;
}

test("arbitrary bytes under arbitrary headers are answered, never thrown at, and change nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, anyHeaders, fc.boolean(), async (bytes, headers, isBase64Encoded) => {
      const body = isBase64Encoded ? bytes.toString("base64") : bytes.toString("latin1");
      const status = await callHandler({ body, headers: headers as Record<string, string>, isBase64Encoded });
      expect([400, 401, 413]).toContain(status);
    }),
    { numRuns: 300 },
  );
  expect(world.faults.mutations()).toEqual([]);
});

test("signed junk is refused, never thrown at, and changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, signatureHeader, async (bytes, name) => {
      const headers = { [name]: world.sign(bytes) };
      const status = await callHandler({ body: bytes.toString("base64"), headers, isBase64Encoded: true });
      expect([400, 413]).toContain(status);
    }),
    { numRuns: 300 },
  );
  expect(world.faults.mutations()).toEqual([]);
});

test("a signed event with one field replaced by anything is answered, and raises nothing past its numbers", async () => {
  await fc.assert(
    fc.asyncProperty(almost, async ({ field, value }) => {
      const event = { ...world.event({ pool, capacity: 0, slots: 1 }), [field]: value };
      const bytes = Buffer.from(JSON.stringify(event));
      const headers = { "x-zoomies-signature-256": world.sign(bytes) };
      const status = await callHandler({ body: bytes.toString(), headers, isBase64Encoded: false });
      expect([204, 400, 403, 422]).toContain(status);
    }),
    { numRuns: 200 },
  );
  expect(world.group("linux").desired).toBeLessThanOrEqual(10);
});

test("requests that lack what API Gateway always sends are answered too", async () => {
  for (const request of [{}, { headers: undefined }, { body: undefined, headers: {} }, { isBase64Encoded: true }]) {
    expect(await callHandler(request as unknown as Partial<APIGatewayProxyEventV2>)).toBe(401);
  }
});
