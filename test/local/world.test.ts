import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterEach, expect, test } from "vitest";
import { startWorld, type TestWorld } from "../world.ts";

const pool = "pool_k5v3mq7xw2rat";
const fleet = { name: "linux", pools: [pool], slotsPerHost: 4 };
let world: TestWorld;
afterEach(() => world.close());

test("a signed demand travels through gateway, function, ledger and Auto Scaling to hosts in service", async () => {
  world = await startWorld({ fleets: [fleet] });
  expect(await world.send({ pool, capacity: 8, slots: 3 })).toMatchObject({ status: 204, outcome: "applied" });
  expect(world.group("linux").desired).toBe(3);
  world.advance(60_000);
  expect(world.group("linux").states).toEqual(["InService", "InService", "InService"]);
});

test("the world's time is the functions' time: an event of an hour ago is outside the replay window", async () => {
  world = await startWorld({ fleets: [fleet] });
  const event = world.event({ pool, capacity: 0, slots: 1 });
  world.advance(3_600_000);
  expect(new Date().toISOString()).toBe("2026-09-05T13:00:00.000Z");
  expect(await world.send(event)).toMatchObject({ status: 403 });
});

test("a function killed before its write answers 500, is gone, and leaves the group as it was", async () => {
  world = await startWorld({ fleets: [fleet] });
  world.faults.add({ on: "auto-scaling:SetDesiredCapacity", kind: "kill", moment: "before" });
  expect(await world.send({ pool, capacity: 8, slots: 3 })).toMatchObject({ status: 500 });
  expect(world.invocations[0]?.outcome).toEqual({ kind: "killed" });
  expect(world.group("linux").desired).toBe(0);
});

test("bytes that were not signed with the world's secret are refused", async () => {
  world = await startWorld({ fleets: [fleet] });
  const signed = { "X-Zoomies-Signature-256": world.sign("{}", "another") };
  expect(await world.post("{}", signed)).toMatchObject({ status: 401, code: "bad_signature" });
});

test("a call by an environment of another world finds nobody, a person's call is served", async () => {
  world = await startWorld();
  const read = (accessKeyId: string) =>
    new SecretsManagerClient({
      endpoint: world.aws,
      region: "eu-west-1",
      credentials: { accessKeyId, secretAccessKey: "local" },
      maxAttempts: 1,
    }).send(new GetSecretValueCommand({ SecretId: world.secrets.zoomies.name }));
  await expect(read("ASIA0000000000000000")).rejects.toThrow();
  expect((await read("AKIA0000000000000000")).SecretString).toBe(world.secrets.zoomies.value);
});

test("the minute run is fired by hand and has its outcome", async () => {
  world = await startWorld({ fleets: [fleet] });
  expect((await world.reconcile()).outcome).toEqual({ kind: "answered", value: null });
});

test("closing a world gives the real time back", async () => {
  world = await startWorld();
  await world.close();
  expect(new Date().getFullYear()).not.toBe(1970);
  expect(Math.abs(Date.now() - (performance.timeOrigin + performance.now()))).toBeLessThan(5000);
});
