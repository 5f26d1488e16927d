import type { APIGatewayProxyEventV2 } from "aws-lambda";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KiciWorld, startKici } from "./kici-world.ts";

let world: KiciWorld;
beforeAll(async () => {
  world = await startKici({ name: "aws-linux", maxInstances: 5 });
});
afterAll(() => world.close());

const routes = { KiciScaleUp: "scaleUp", KiciScaleDown: "scaleDown" } as const;
const functionId = fc.constantFrom(...(Object.keys(routes) as (keyof typeof routes)[]));
const anyHeaders = fc.dictionary(
  fc.oneof(fc.constantFrom("webhook-id", "Webhook-Timestamp", "WEBHOOK-SIGNATURE"), fc.string()),
  fc.oneof(fc.string(), fc.constant(undefined)),
  { maxKeys: 6 },
);
const fieldNames = [
  "scalerName",
  "agentId",
  "labels",
  "mandatoryLabels",
  "resources",
  "orchestratorUrl",
  "claimCode",
  "jobId",
  "requestId",
  "reason",
];

async function answerOf(id: string, request: Partial<APIGatewayProxyEventV2>): Promise<number> {
  const { outcome } = await world.functions.invoke(id, request);
  expect(outcome.kind).toBe("answered");
  const { value } = outcome as { value: { statusCode: number; body?: string } };
  const body = JSON.parse(value.body ?? "") as Record<string, unknown>;
  if (value.statusCode >= 400) expect(Object.keys(body).sort()).toEqual(["code", "message"]);
  else expect(body).toMatchObject({ status: expect.any(String), agentId: expect.any(String) });
  return value.statusCode;
}

test("no bytes and no headers make a handler throw, and none is believed without a signature", async () => {
  await fc.assert(
    fc.asyncProperty(
      functionId,
      anyHeaders,
      fc.oneof(fc.string(), fc.json(), fc.constant(undefined)),
      fc.boolean(),
      async (id, headers, body, isBase64Encoded) => {
        const event = { headers, isBase64Encoded, ...(body === undefined ? {} : { body }) };
        expect(await answerOf(id, event as Partial<APIGatewayProxyEventV2>)).toBe(401);
      },
    ),
    { numRuns: 150 },
  );
});

test("no signed payload makes a handler throw, with one field of a good one replaced by anything", async () => {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: "binary" }),
    fc.array(fc.string({ unit: "binary" })),
  );
  await fc.assert(
    fc.asyncProperty(functionId, fc.constantFrom(...fieldNames), anything, async (id, field, value) => {
      const body = JSON.stringify({ ...world[routes[id]](), [field]: value });
      const status = await answerOf(id, { headers: world.signed(body), body, isBase64Encoded: false });
      expect([200, 201, 400, 404, 409, 422, 429]).toContain(status);
    }),
    { numRuns: 250 },
  );
});

test("no signed bytes make a handler throw, JSON or not", async () => {
  await fc.assert(
    fc.asyncProperty(
      functionId,
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      async (id, bytes) => {
        const body = Buffer.from(bytes);
        const event = { headers: world.signed(body), body: body.toString("base64"), isBase64Encoded: true };
        expect(await answerOf(id, event)).toBe(400);
      },
    ),
    { numRuns: 150 },
  );
});
