import { afterEach, expect, test } from "vitest";
import { type KiciWorld, startKici } from "./kici-world.ts";

let world: KiciWorld;
afterEach(() => world.close());

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
const knock = (secret: string) => {
  const body = JSON.stringify(world.scaleDown());
  return world.forward("scale-down", body, world.signed(body, secret));
};

test("two secrets are live during a rotation, and the old one no longer than the overlap (cases.md 5)", async () => {
  world = await startKici({ name: "aws-linux" }, { kiciSecret: secretOf(1) });
  expect((await knock(secretOf(1))).status).toBe(200);
  world.advance(60_000);
  world.cloud.putSecret(world.secrets.kici.name, secretOf(2));
  world.advance(61_000);
  expect((await knock(secretOf(2))).status).toBe(200);
  expect((await knock(secretOf(1))).status).toBe(200);
  expect((await knock(secretOf(3))).status).toBe(401);
  world.advance(60 * 60_000);
  expect((await knock(secretOf(1))).status).toBe(401);
  expect((await knock(secretOf(2))).status).toBe(200);
});

test.each(["replace-me", "whsec_", "whsec_c2hvcnQ=", "not base64!"])(
  "the secret %j opens to nobody, whoever signs with whatever it would mean",
  async (value) => {
    world = await startKici({ name: "aws-linux" }, { kiciSecret: value });
    for (const secret of [value, "", secretOf(1)]) {
      expect(await knock(secret)).toMatchObject({ status: 503, answer: { code: "secret_not_set" } });
    }
    expect(world.lines.some((line) => line.includes('"ConfigError":1'))).toBe(true);
  },
);

test("what the stack generates, 48 letters and digits, is a secret as it stands", async () => {
  const generated = "Kb7".repeat(16);
  world = await startKici({ name: "aws-linux" }, { kiciSecret: generated });
  expect((await knock(generated)).status).toBe(200);
  expect((await knock(`whsec_${generated}`)).status).toBe(200);
});

test("while the secret cannot be read nothing is believed, and the answer asks to come back", async () => {
  world = await startKici();
  world.faults.add({
    on: "secretsmanager:GetSecretValue",
    kind: "error",
    code: "InternalServiceError",
    httpStatus: 500,
  });
  expect(await world.up()).toMatchObject({ status: 503, answer: { code: "secret_unreadable" }, retryAfter: 5 });
  expect(world.launches()).toBe(0);
});
