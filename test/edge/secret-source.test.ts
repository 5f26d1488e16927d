import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { beforeEach, describe, expect, test } from "vitest";
import { type Cloud, createCloud } from "../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../infra/local/aws/faults.ts";
import { inProcessClient } from "../../infra/local/aws/in-process.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { type SecretSource, secretsManagerSource } from "../../lib/edge/secret-source.ts";
import { SecretUnreadable, signingSecret } from "../../lib/edge/signing-secret.ts";

const start = Date.UTC(2026, 8, 5, 12);
const hour = 3_600_000;

let clock: ManualClock;
let cloud: Cloud;
let faults: Faults;
let source: SecretSource;

beforeEach(() => {
  clock = new ManualClock(start);
  cloud = createCloud({ clock });
  faults = createFaults();
  const client = inProcessClient(cloud, { faults }) as unknown as SecretsManagerClient;
  source = secretsManagerSource(client, "webhook");
});

describe("a secret in Secrets Manager", () => {
  test("is its raw string and the time of its version", async () => {
    cloud.putSecret("webhook", 'a<&%"\\z ümlaut');
    expect(await source.read("AWSCURRENT")).toEqual({ value: 'a<&%"\\z ümlaut', createdAt: start });
  });

  test("has no previous version before its first rotation, and then the one before", async () => {
    cloud.putSecret("webhook", "one");
    expect(await source.read("AWSPREVIOUS")).toBeUndefined();
    clock.advance(hour);
    cloud.putSecret("webhook", "two");
    expect(await source.read("AWSCURRENT")).toEqual({ value: "two", createdAt: start + hour });
    expect(await source.read("AWSPREVIOUS")).toEqual({ value: "one", createdAt: start });
  });

  test("that does not exist, or has no value yet, has no version", async () => {
    expect(await source.read("AWSCURRENT")).toBeUndefined();
    cloud.createEmptySecret("webhook");
    expect(await source.read("AWSCURRENT")).toBeUndefined();
  });

  test.each(["ThrottlingException", "AccessDeniedException", "InternalServiceError"])(
    "that cannot be read for %s throws: nothing is known then",
    async (code) => {
      cloud.putSecret("webhook", "one");
      faults.add({ on: "secretsmanager:GetSecretValue", kind: "error", code, httpStatus: 400 });
      await expect(source.read("AWSCURRENT")).rejects.toMatchObject({ name: code });
      const secret = signingSecret(source, clock, { cacheMs: 1, overlapMs: 1 });
      await expect(secret.accepts(() => true)).rejects.toThrow(SecretUnreadable);
    },
  );

  test("is rotated without a new deployment: old until the overlap ends, new at once in a new process (cases.md 5, 6)", async () => {
    cloud.putSecret("webhook", "one");
    clock.advance(10 * hour);
    cloud.putSecret("webhook", "two");
    const secret = signingSecret(source, clock, { cacheMs: 60_000, overlapMs: hour });
    const accepts = (value: string) => secret.accepts((candidate) => candidate.toString() === value);
    expect([await accepts("two"), await accepts("one")]).toEqual([true, true]);
    clock.advance(hour + 1);
    expect([await accepts("two"), await accepts("one")]).toEqual([true, false]);
  });
});
