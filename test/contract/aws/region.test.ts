import {
  DescribeImagesCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeSubnetsCommand,
} from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { openBench, refusal, ways } from "./ways.ts";

describe.each(ways)("What a region offers, through $way", ({ open }) => {
  test(`launch templates are found by tag, page by page (${docs.describeTemplates})`, async () => {
    const { ec2, cloud } = await openBench(open);
    for (let i = 0; i < 5; i += 1) cloud.createLaunchTemplate({ name: `t${i}`, tags: { "drover:kici-scaler": "aws" } });
    cloud.createLaunchTemplate({ name: "other" });
    const Filters = [{ Name: "tag:drover:kici-scaler", Values: ["aws"] }];
    const first = await ec2.send(new DescribeLaunchTemplatesCommand({ Filters, MaxResults: 3 }));
    const rest = await ec2.send(
      new DescribeLaunchTemplatesCommand({ Filters, MaxResults: 3, NextToken: first.NextToken ?? "" }),
    );
    expect([first.LaunchTemplates?.length, rest.LaunchTemplates?.length, rest.NextToken]).toEqual([3, 2, undefined]);
    expect(first.LaunchTemplates?.[0]).toMatchObject({
      DefaultVersionNumber: 1,
      LatestVersionNumber: 1,
      Tags: [{ Key: "drover:kici-scaler", Value: "aws" }],
    });
    const unknown = ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ["nobody"] }));
    expect((await refusal(unknown)).name).toBe("InvalidLaunchTemplateName.NotFoundException");
  });

  test(`a version is asked for by number, $Default or $Latest (${docs.describeTemplateVersions})`, async () => {
    const { ec2, cloud } = await openBench(open);
    const id = cloud.createLaunchTemplate({ name: "t", data: { UserData: "aGk=", DisableApiTermination: true } });
    cloud.addLaunchTemplateVersion(id, { InstanceType: "m7i.xlarge" });
    const ask = async (...Versions: string[]) => {
      const input = { LaunchTemplateId: id, Versions };
      const answer = await ec2.send(new DescribeLaunchTemplateVersionsCommand(input));
      return answer.LaunchTemplateVersions?.map((entry) => [entry.VersionNumber, entry.DefaultVersion]);
    };
    expect(await ask("$Default")).toEqual([[1, true]]);
    expect(await ask("$Latest")).toEqual([[2, false]]);
    expect(await ask("1", "2")).toEqual([
      [2, false],
      [1, true],
    ]);
    expect((await refusal(ask("7"))).name).toBe("InvalidLaunchTemplateId.VersionNotFound");
    const all = await ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: id }));
    expect(all.LaunchTemplateVersions?.[0]?.LaunchTemplateData).toEqual({
      ImageId: "ami-0123456789abcdef0",
      InstanceType: "m7i.xlarge",
      UserData: "aGk=",
      DisableApiTermination: true,
    });
  });

  test(`instance types tell processors, memory and architecture (${docs.describeTypes})`, async () => {
    const { ec2 } = await openBench(open);
    const answer = await ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ["m7g.xlarge"] }));
    expect(answer.InstanceTypes?.[0]).toMatchObject({
      InstanceType: "m7g.xlarge",
      VCpuInfo: { DefaultVCpus: 4 },
      MemoryInfo: { SizeInMiB: 16_384 },
      ProcessorInfo: { SupportedArchitectures: ["arm64"] },
    });
    const unknown = ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ["m99.huge" as never] }));
    expect((await refusal(unknown)).name).toBe("InvalidInstanceType");
  });

  test(`images tell their architecture (${docs.describeImages})`, async () => {
    const { ec2 } = await openBench(open);
    const answer = await ec2.send(new DescribeImagesCommand({ ImageIds: ["ami-0fedcba9876543210"] }));
    expect(answer.Images?.[0]).toMatchObject({ Architecture: "arm64", State: "available" });
    const unknown = ec2.send(new DescribeImagesCommand({ ImageIds: ["ami-00000000000000000"] }));
    expect((await refusal(unknown)).name).toBe("InvalidAMIID.NotFound");
  });

  test(`subnets tell their zone and free addresses, which launches use up (${docs.describeSubnets})`, async () => {
    const { ec2, cloud, pass } = await openBench(open);
    const SubnetIds = ["subnet-00000000000000001"];
    cloud.setFreeAddresses("subnet-00000000000000001", 10);
    cloud.createGroup("g", { desired: 3, subnets: SubnetIds });
    pass(60);
    const answer = await ec2.send(new DescribeSubnetsCommand({ SubnetIds }));
    expect(answer.Subnets?.[0]).toMatchObject({ AvailabilityZone: "eu-central-1a", AvailableIpAddressCount: 7 });
    const unknown = ec2.send(new DescribeSubnetsCommand({ SubnetIds: ["subnet-ffffffffffffffff0"] }));
    expect((await refusal(unknown)).name).toBe("InvalidSubnetID.NotFound");
  });
});
