import { DescribeSecretCommand, GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { openBench, refusal, ways } from "./ways.ts";

const get = (SecretId: string, VersionStage?: string) =>
  new GetSecretValueCommand({ SecretId, ...(VersionStage === undefined ? {} : { VersionStage }) });

describe.each(ways)("Secrets through $way", ({ open }) => {
  test(`a secret is read by name or ARN, AWSCURRENT unless asked otherwise (${docs.getSecret})`, async () => {
    const { secrets, cloud, clock } = await openBench(open);
    const arn = cloud.putSecret("drover/zoomies", `odd "chars" \\ ü <&>`);
    const answer = await secrets.send(get("drover/zoomies"));
    expect(answer).toMatchObject({ ARN: arn, Name: "drover/zoomies", SecretString: `odd "chars" \\ ü <&>` });
    expect(answer.VersionStages).toEqual(["AWSCURRENT"]);
    expect(answer.CreatedDate).toEqual(new Date(clock.now()));
    expect((await secrets.send(get(arn))).VersionId).toBe(answer.VersionId);
  });

  test(`a new value moves the old one to AWSPREVIOUS, each with its own date (${docs.putSecret}, ${docs.describeSecret})`, async () => {
    const { secrets, cloud, clock, pass } = await openBench(open);
    cloud.putSecret("s", "one");
    const firstAt = clock.now();
    pass(3600);
    await secrets.send(new PutSecretValueCommand({ SecretId: "s", SecretString: "two" }));
    const current = await secrets.send(get("s", "AWSCURRENT"));
    const previous = await secrets.send(get("s", "AWSPREVIOUS"));
    expect([current.SecretString, previous.SecretString]).toEqual(["two", "one"]);
    expect([current.CreatedDate?.getTime(), previous.CreatedDate?.getTime()]).toEqual([firstAt + 3_600_000, firstAt]);
    await secrets.send(new PutSecretValueCommand({ SecretId: "s", SecretString: "three" }));
    expect((await secrets.send(get("s", "AWSPREVIOUS"))).SecretString).toBe("two");
    const described = await secrets.send(new DescribeSecretCommand({ SecretId: "s" }));
    expect(
      Object.values(described.VersionIdsToStages ?? {})
        .flat()
        .sort(),
    ).toEqual(["AWSCURRENT", "AWSPREVIOUS"]);
  });

  test(`a missing secret and a missing stage share a code and differ in their message (${docs.getSecret})`, async () => {
    const { secrets, cloud } = await openBench(open);
    cloud.putSecret("s", "one");
    cloud.createEmptySecret("empty");
    const missing = await refusal(secrets.send(get("nobody")));
    const stage = await refusal(secrets.send(get("s", "AWSPREVIOUS")));
    const empty = await refusal(secrets.send(get("empty")));
    for (const error of [missing, stage, empty]) {
      expect(error).toMatchObject({ name: "ResourceNotFoundException", status: 400 });
    }
    expect(missing.message).toBe("Secrets Manager can't find the specified secret.");
    expect(stage.message).toContain("staging label: AWSPREVIOUS");
    expect(empty.message).toContain("staging label: AWSCURRENT");
  });

  test(`a repeated write under one token makes one version; another value under it is refused (${docs.putSecret})`, async () => {
    const { secrets, cloud } = await openBench(open);
    cloud.putSecret("s", "one");
    const ClientRequestToken = "0123456789abcdef0123456789abcdef";
    const put = (SecretString: string) =>
      secrets.send(new PutSecretValueCommand({ SecretId: "s", SecretString, ClientRequestToken }));
    await put("two");
    await put("two");
    expect((await secrets.send(get("s", "AWSPREVIOUS"))).SecretString).toBe("one");
    expect((await refusal(put("three"))).name).toBe("ResourceExistsException");
  });
});
