import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { DescribeInstancesCommand, EC2Client } from "@aws-sdk/client-ec2";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Cloud, createCloud } from "../../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../../infra/local/aws/faults.ts";
import { type AwsServer, startAwsServer } from "../../../infra/local/aws/server.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { docs } from "./docs.ts";
import { startOfTest } from "./ways.ts";

const signed = (scope: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=AKIAONE/20260105/eu-central-1/${scope}/aws4_request, SignedHeaders=host, Signature=00`,
});

describe("The protocols on the wire", () => {
  let cloud: Cloud;
  let faults: Faults;
  let server: AwsServer;

  beforeEach(async () => {
    cloud = createCloud({ clock: new ManualClock(startOfTest) });
    faults = createFaults();
    server = await startAwsServer({ cloud, faults });
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  const post = async (headers: Record<string, string>, body: string) => {
    const answer = await fetch(server.url, { method: "POST", headers, body });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  test("one endpoint variable serves every client", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL", server.url);
    vi.stubEnv("AWS_REGION", "eu-central-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAENV");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "not-a-secret");
    cloud.createGroup("g");
    cloud.putSecret("s", "value");
    const clients = [new AutoScalingClient({}), new EC2Client({}), new SecretsManagerClient({})] as const;
    expect((await clients[0].send(new DescribeAutoScalingGroupsCommand({}))).AutoScalingGroups).toHaveLength(1);
    expect((await clients[1].send(new DescribeInstancesCommand({}))).Reservations).toEqual([]);
    expect((await clients[2].send(new GetSecretValueCommand({ SecretId: "s" }))).SecretString).toBe("value");
    expect(new Set(faults.calls.map((call) => call.caller))).toEqual(new Set(["AKIAENV"]));
    for (const client of clients) client.destroy();
  });

  test(`an action that does not exist is InvalidAction (${docs.commonErrors}, ${docs.ec2Errors})`, async () => {
    const group = await post(signed("autoscaling"), "Action=MakeCoffee&Version=2011-01-01");
    expect([group.status, group.text]).toEqual([400, expect.stringContaining("<Code>InvalidAction</Code>")]);
    const ec2 = await post(signed("ec2"), "Action=MakeCoffee&Version=2016-11-15");
    expect([ec2.status, ec2.text]).toEqual([400, expect.stringContaining("<Code>InvalidAction</Code>")]);
    const target = { ...signed("secretsmanager"), "x-amz-target": "secretsmanager.MakeCoffee" };
    const secrets = await post(target, "{}");
    expect([secrets.status, secrets.text]).toEqual([400, expect.stringContaining("UnknownOperationException")]);
  });

  test("an operation of AWS that this world does not have is refused as well, never answered emptily", async () => {
    const answer = await post(signed("ec2"), "Action=RebootInstances&InstanceId.1=i-0123456789abcdef0");
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("<Code>InvalidAction</Code>")]);
  });

  test("a request without a signature is refused", async () => {
    expect((await post({}, "Action=DescribeInstances")).status).toBe(403);
  });

  test("errors carry the service's own envelope and a request id", async () => {
    const group = await post(
      signed("autoscaling"),
      "Action=SetDesiredCapacity&AutoScalingGroupName=a%3Cb&DesiredCapacity=1",
    );
    expect(group.text).toContain("<Type>Sender</Type><Code>ValidationError</Code>");
    expect(group.text).toContain("a&lt;b");
    expect(group.text).toMatch(/<RequestId>[0-9a-f-]{36}<\/RequestId>/);
    const ec2 = await post(signed("ec2"), "Action=DescribeInstances&InstanceId.1=nonsense");
    expect(ec2.text).toMatch(/<Response><Errors><Error><Code>InvalidInstanceID.Malformed<\/Code>.*<RequestID>/s);
    const target = { ...signed("secretsmanager"), "x-amz-target": "secretsmanager.GetSecretValue" };
    const secrets = await post(target, `{"SecretId":"x"}`);
    expect(JSON.parse(secrets.text)).toMatchObject({ __type: "ResourceNotFoundException" });
    expect(secrets.headers.get("x-amzn-errortype")).toBe("ResourceNotFoundException");
  });

  test("a body that is no JSON object is a SerializationException", async () => {
    const target = { ...signed("secretsmanager"), "x-amz-target": "secretsmanager.GetSecretValue" };
    expect((await post(target, "[1")).text).toContain("SerializationException");
  });
});
