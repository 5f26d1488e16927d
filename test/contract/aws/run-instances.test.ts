import {
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  RunInstancesCommand,
  type RunInstancesCommandInput,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { type Bench, openBench, refusal, ways } from "./ways.ts";

const zoneA = "subnet-00000000000000001";
const zoneB = "subnet-00000000000000002";

async function launching(open: (typeof ways)[number]["open"]) {
  const bench = await openBench(open);
  const template = bench.cloud.createLaunchTemplate({ name: "agents", tags: { "drover:kici-scaler": "aws" } });
  const run = (extra: Partial<RunInstancesCommandInput> = {}) =>
    bench.ec2.send(
      new RunInstancesCommand({
        LaunchTemplate: { LaunchTemplateId: template, Version: "1" },
        SubnetId: zoneA,
        MinCount: 1,
        MaxCount: 1,
        ClientToken: "token-1",
        ...extra,
      }),
    );
  return { ...bench, template, run };
}

const living = (bench: Bench) => bench.cloud.allInstances().filter((entry) => entry.State?.Name !== "terminated");

describe.each(ways)("RunInstances through $way", ({ open }) => {
  test(`the request's own parameters win over the template's, and tags are on from the start (${docs.runInstances}, ${docs.describeAttribute})`, async () => {
    const { run, ec2, pass } = await launching(open);
    const launched = await run({
      InstanceType: "c7g.large",
      ImageId: "ami-0fedcba9876543210",
      UserData: Buffer.from("#cloud-config\n").toString("base64"),
      MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1 },
      InstanceInitiatedShutdownBehavior: "terminate",
      InstanceMarketOptions: { MarketType: "spot" },
      TagSpecifications: [
        { ResourceType: "instance", Tags: [{ Key: "kici-agent-id", Value: "a-1 <&>" }] },
        { ResourceType: "volume", Tags: [{ Key: "kici-agent-id", Value: "a-1 <&>" }] },
      ],
    });
    const [instance] = launched.Instances ?? [];
    expect(instance).toMatchObject({
      InstanceType: "c7g.large",
      ImageId: "ami-0fedcba9876543210",
      Architecture: "arm64",
      SubnetId: zoneA,
      ClientToken: "token-1",
      InstanceLifecycle: "spot",
      State: { Code: 0, Name: "pending" },
      Tags: [{ Key: "kici-agent-id", Value: "a-1 <&>" }],
      MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1 },
    });
    expect(instance?.LaunchTime).toEqual(new Date(Date.UTC(2026, 0, 5, 9)));
    pass(30);
    const found = await ec2.send(
      new DescribeInstancesCommand({ Filters: [{ Name: "tag:kici-agent-id", Values: ["a-1 <&>"] }] }),
    );
    expect(found.Reservations?.[0]?.Instances?.[0]?.State?.Name).toBe("running");
    const attribute = await ec2.send(
      new DescribeInstanceAttributeCommand({ InstanceId: instance?.InstanceId, Attribute: "userData" }),
    );
    expect(Buffer.from(attribute.UserData?.Value ?? "", "base64").toString()).toBe("#cloud-config\n");
  });

  test(`a dozen tags come back in the order they were asked for (${docs.runInstances})`, async () => {
    const { run } = await launching(open);
    const Tags = Array.from({ length: 12 }, (_, i) => ({ Key: `k${i}`, Value: `v${i}` }));
    const launched = await run({ TagSpecifications: [{ ResourceType: "instance", Tags }] });
    expect(launched.Instances?.[0]?.Tags).toEqual(Tags);
  });

  test(`the same token and request launch once in a zone, and the answer tells the present state (${docs.idempotency})`, async () => {
    const bench = await launching(open);
    const first = await bench.run();
    bench.pass(30);
    const again = await bench.run();
    expect(again.ReservationId).toBe(first.ReservationId);
    expect(again.Instances?.[0]?.InstanceId).toBe(first.Instances?.[0]?.InstanceId);
    expect(again.Instances?.[0]?.State?.Name).toBe("running");
    expect(living(bench)).toHaveLength(1);
  });

  test(`the same token in another zone launches again (${docs.idempotency})`, async () => {
    const bench = await launching(open);
    await bench.run();
    await bench.run({ SubnetId: zoneB });
    expect(living(bench)).toHaveLength(2);
  });

  test(`another request under the same token is IdempotentParameterMismatch (${docs.idempotency})`, async () => {
    const bench = await launching(open);
    await bench.run();
    const error = await refusal(bench.run({ UserData: Buffer.from("other").toString("base64") }));
    expect(error).toMatchObject({ name: "IdempotentParameterMismatch", status: 400 });
    expect(living(bench)).toHaveLength(1);
  });

  test(`the token of an ended instance is refused for a day, then free (${docs.ec2Errors}, ${docs.tokenLife})`, async () => {
    const bench = await launching(open);
    const { Instances: [launched] = [] } = await bench.run();
    await bench.ec2.send(new TerminateInstancesCommand({ InstanceIds: [launched?.InstanceId ?? ""] }));
    expect((await bench.run()).Instances?.[0]?.State?.Name).toBe("shutting-down");
    bench.pass(60);
    expect(await refusal(bench.run())).toMatchObject({ name: "IdempotentInstanceTerminated", status: 400 });
    bench.pass(23 * 3600);
    expect(await refusal(bench.run())).toMatchObject({ name: "IdempotentInstanceTerminated" });
    bench.pass(2 * 3600);
    expect((await bench.run()).Instances?.[0]?.InstanceId).not.toBe(launched?.InstanceId);
  });

  test(`a launch that found no capacity leaves its token free; the error is HTTP 500 (${docs.ec2Errors})`, async () => {
    const bench = await launching(open);
    bench.cloud.setCapacity("m7i.large", "eu-central-1a", "none");
    expect(await refusal(bench.run())).toMatchObject({ name: "InsufficientInstanceCapacity", status: 500 });
    await bench.run({ SubnetId: zoneB });
    bench.cloud.setCapacity("m7i.large", "eu-central-1a", 1);
    await bench.run();
    expect(await refusal(bench.run({ ClientToken: "token-2" }))).toMatchObject({
      name: "InsufficientInstanceCapacity",
    });
    expect(living(bench)).toHaveLength(2);
  });

  test(`spot capacity and on-demand capacity are apart (${docs.ec2Errors})`, async () => {
    const bench = await launching(open);
    bench.cloud.setCapacity("*", "*", { code: "MaxSpotInstanceCountExceeded" }, "spot");
    const spot = bench.run({ InstanceMarketOptions: { MarketType: "spot" }, ClientToken: "spot" });
    expect(await refusal(spot)).toMatchObject({ name: "MaxSpotInstanceCountExceeded", status: 400 });
    await bench.run();
  });

  test.each(["InstanceLimitExceeded", "VcpuLimitExceeded", "SpotMaxPriceTooLow"])(
    `%s is told by its own code (${docs.ec2Errors})`,
    async (code) => {
      const bench = await launching(open);
      bench.cloud.setCapacity("*", "*", { code });
      expect(await refusal(bench.run())).toMatchObject({ name: code, status: 400 });
    },
  );

  test(`a subnet without free addresses is told apart, and ended instances give theirs back (${docs.ec2Errors})`, async () => {
    const bench = await launching(open);
    bench.cloud.setFreeAddresses(zoneA, 1);
    const { Instances: [launched] = [] } = await bench.run();
    expect(await refusal(bench.run({ ClientToken: "two" }))).toMatchObject({
      name: "InsufficientFreeAddressesInSubnet",
      status: 400,
    });
    bench.cloud.terminateByHand(launched?.InstanceId ?? "");
    await bench.run({ ClientToken: "three" });
  });

  test(`between MinCount and MaxCount as many launch as can, below MinCount none (${docs.runInstances})`, async () => {
    const bench = await launching(open);
    bench.cloud.setCapacity("m7i.large", "eu-central-1a", 3);
    expect(await refusal(bench.run({ MinCount: 4, MaxCount: 5 }))).toMatchObject({
      name: "InsufficientInstanceCapacity",
    });
    expect((await bench.run({ MinCount: 2, MaxCount: 5 })).Instances).toHaveLength(3);
  });

  test(`user data is base64 of at most 16 KiB (${docs.userData}, ${docs.ec2Errors})`, async () => {
    const bench = await launching(open);
    await bench.run({ UserData: Buffer.alloc(16_384, 97).toString("base64") });
    const large = Buffer.alloc(16_385, 97).toString("base64");
    expect(await refusal(bench.run({ UserData: large, ClientToken: "2" }))).toMatchObject({
      name: "InvalidParameterValue",
    });
    expect(await refusal(bench.run({ UserData: "not base64!", ClientToken: "3" }))).toMatchObject({
      name: "InvalidUserData.Malformed",
    });
  });

  test(`parameters that cannot be are refused before anything launches (${docs.ec2Errors})`, async () => {
    const bench = await launching(open);
    const tag = (Key: string, Value: string) => [{ ResourceType: "instance" as const, Tags: [{ Key, Value }] }];
    const refused: [Partial<RunInstancesCommandInput>, string][] = [
      [{ ImageId: "ami-00000000000000000" }, "InvalidAMIID.NotFound"],
      [{ SubnetId: "subnet-ffffffffffffffff0" }, "InvalidSubnetID.NotFound"],
      [{ InstanceType: "m99.huge" as never }, "InvalidParameterValue"],
      [{ InstanceType: "m7g.large" }, "InvalidParameterValue"],
      [{ LaunchTemplate: { LaunchTemplateId: "lt-00000000000000000" } }, "InvalidLaunchTemplateId.NotFound"],
      [
        { LaunchTemplate: { LaunchTemplateId: bench.template, Version: "9" } },
        "InvalidLaunchTemplateId.VersionNotFound",
      ],
      [{ TagSpecifications: tag("aws:mine", "x") }, "InvalidParameterValue"],
      [{ TagSpecifications: tag("k", "x".repeat(257)) }, "InvalidParameterValue"],
      [{ ClientToken: "x".repeat(65) }, "InvalidClientToken"],
      [{ DryRun: true }, "DryRunOperation"],
    ];
    for (const [extra, name] of refused) expect(await refusal(bench.run(extra))).toMatchObject({ name });
    expect(living(bench)).toEqual([]);
  });
});
