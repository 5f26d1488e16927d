import { afterEach, expect, test } from "vitest";
import { encodeEvent } from "../../infra/local/zoomies/event.ts";
import { startWorld, type TestWorld } from "../world.ts";

const pool = "pool_123";
let world: TestWorld;
afterEach(() => world.close());

const start = async () => {
  world = await startWorld({ zoomiesSecret: "first", fleets: [{ name: "linux", pools: [pool], slotsPerHost: 4 }] });
};
const sendSigned = (secret: string) => {
  const bytes = Buffer.from(encodeEvent(world.event({ pool, capacity: 0, slots: 1 })));
  return world.post(bytes, { "X-Zoomies-Signature-256": world.sign(bytes, secret) });
};
const rotate = (value: string) => world.cloud.putSecret(world.secrets.zoomies.name, value);

test("a rotated secret counts within half a minute without a deployment, the previous one for an hour (cases.md 5)", async () => {
  await start();
  expect((await sendSigned("first")).status).toBe(204);
  world.advance(31_000);
  rotate("second");
  expect((await sendSigned("second")).status).toBe(204);
  expect((await sendSigned("first")).status).toBe(204);
  world.advance(61 * 60_000);
  expect((await sendSigned("first")).status).toBe(401);
  expect((await sendSigned("second")).status).toBe(204);
});

test("unknown signatures cause at most one look at the secret in half a minute", async () => {
  await start();
  await sendSigned("first");
  world.advance(2 * 3_600_000);
  await sendSigned("first");
  world.faults.reset();
  for (let i = 0; i < 20; i += 1) expect((await sendSigned("wrong")).status).toBe(401);
  expect(world.faults.count("secretsmanager:GetSecretValue")).toBeLessThanOrEqual(1);
});

test("a secret that cannot be read is a 503, nothing is lost by it, and the failure is not remembered", async () => {
  await start();
  world.faults.add({
    on: "secretsmanager:GetSecretValue",
    kind: "error",
    code: "InternalServiceError",
    httpStatus: 500,
  });
  expect(await sendSigned("first")).toMatchObject({ status: 503, code: "secret_unreadable" });
  world.faults.clear();
  expect((await sendSigned("first")).status).toBe(204);
});

test.each(["REPLACE_ME", "  ", "changeme"])(
  "a placeholder secret (%j) is a 503 and a metric, never a key",
  async (value) => {
    await start();
    rotate(value);
    expect(await sendSigned(value)).toMatchObject({ status: 503, code: "secret_not_set" });
    expect(world.lines.join("\n")).toContain('"ConfigError":1');
  },
);
