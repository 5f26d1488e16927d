import {
  DescribeAutoScalingGroupsCommand,
  type Filter,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { openBench, refusal, ways } from "./ways.ts";

const set = (group: string, desired: number, honorCooldown?: boolean) =>
  new SetDesiredCapacityCommand({
    AutoScalingGroupName: group,
    DesiredCapacity: desired,
    ...(honorCooldown === undefined ? {} : { HonorCooldown: honorCooldown }),
  });
const named = (...names: string[]) => new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: names });

describe.each(ways)("Auto Scaling groups through $way", ({ open }) => {
  test(`a raise is seen at once and its instances come into service later (${docs.setDesired}, ${docs.lifeCycle})`, async () => {
    const { autoScaling, ec2, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { maxSize: 5 });
    await autoScaling.send(set("g", 2));
    const before = await autoScaling.send(named("g"));
    expect(before.AutoScalingGroups?.[0]).toMatchObject({ DesiredCapacity: 2, MinSize: 0, MaxSize: 5, Instances: [] });
    pass(4);
    const booting = await autoScaling.send(named("g"));
    expect(booting.AutoScalingGroups?.[0]?.Instances?.map((entry) => entry.LifecycleState)).toEqual([
      "Pending",
      "Pending",
    ]);
    pass(30);
    const serving = (await autoScaling.send(named("g"))).AutoScalingGroups?.[0]?.Instances ?? [];
    expect(serving.map((entry) => entry.LifecycleState)).toEqual(["InService", "InService"]);
    expect(new Set(serving.map((entry) => entry.AvailabilityZone)).size).toBe(2);
    const ids = serving.map((entry) => entry.InstanceId ?? "");
    const machines = await ec2.send(new DescribeInstancesCommand({ InstanceIds: ids }));
    const states = machines.Reservations?.flatMap((entry) => entry.Instances ?? []).map((entry) => entry.State?.Name);
    expect(states).toEqual(["running", "running"]);
  });

  test(`a desired capacity outside of min and max is refused and changes nothing (${docs.setDesired})`, async () => {
    const { autoScaling, cloud } = await openBench(open);
    cloud.createGroup("g", { minSize: 1, maxSize: 3, desired: 1 });
    expect(await refusal(autoScaling.send(set("g", 4)))).toMatchObject({ name: "ValidationError", status: 400 });
    expect((await refusal(autoScaling.send(set("g", 4)))).message).toContain("above max value 3");
    expect((await refusal(autoScaling.send(set("g", 0)))).message).toContain("below min value 1");
    expect(cloud.group("g")?.DesiredCapacity).toBe(1);
  });

  test(`an unknown group is a ValidationError for a write and simply absent for a read (${docs.describeGroups})`, async () => {
    const { autoScaling } = await openBench(open);
    const error = await refusal(autoScaling.send(set("nobody", 1)));
    expect(error).toMatchObject({ name: "ValidationError", status: 400 });
    expect(error.message).toContain("not found");
    expect((await autoScaling.send(named("nobody"))).AutoScalingGroups).toEqual([]);
  });

  test(`HonorCooldown refuses a second change inside the cooldown; without it the change is made (${docs.setDesired})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { maxSize: 9, defaultCooldown: 300 });
    await autoScaling.send(set("g", 1, true));
    pass(60);
    const error = await refusal(autoScaling.send(set("g", 2, true)));
    expect(error).toMatchObject({ name: "ScalingActivityInProgressFault", status: 400 });
    await autoScaling.send(set("g", 2));
    pass(301);
    await autoScaling.send(set("g", 3, true));
    expect(cloud.group("g")?.DesiredCapacity).toBe(3);
  });

  test(`filters are ANDed, their values ORed, and names restrict further (${docs.describeGroups})`, async () => {
    const { autoScaling, cloud } = await openBench(open);
    cloud.createGroup("a", { tags: { "drover:stack": "one", "drover:zoomies-pool/p1": "linux" } });
    cloud.createGroup("b", { tags: { "drover:stack": "two", "drover:zoomies-pool/p1": "linux" } });
    cloud.createGroup("c", { tags: { "drover:stack": "three" } });
    const find = async (Filters: Filter[], AutoScalingGroupNames: string[] = []) => {
      const answer = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ Filters, AutoScalingGroupNames }));
      return answer.AutoScalingGroups?.map((group) => group.AutoScalingGroupName);
    };
    expect(await find([{ Name: "tag:drover:stack", Values: ["one", "three"] }])).toEqual(["a", "c"]);
    expect(await find([{ Name: "tag-key", Values: ["drover:zoomies-pool/p1"] }])).toEqual(["a", "b"]);
    expect(await find([{ Name: "tag-value", Values: ["linux"] }])).toEqual(["a", "b"]);
    const both = [
      { Name: "tag:drover:stack", Values: ["one", "three"] },
      { Name: "tag-key", Values: ["drover:zoomies-pool/p1"] },
    ];
    expect(await find(both)).toEqual(["a"]);
    expect(await find([{ Name: "tag-key", Values: ["drover:stack"] }], ["b", "nobody"])).toEqual(["b"]);
  });

  test(`pages hold 50 groups unless asked otherwise, at most 100, and follow a token (${docs.describeGroups})`, async () => {
    const { autoScaling, cloud } = await openBench(open);
    for (let i = 0; i < 120; i += 1) cloud.createGroup(`g${String(i).padStart(3, "0")}`);
    const page = (input: { MaxRecords?: number; NextToken?: string }) =>
      autoScaling.send(new DescribeAutoScalingGroupsCommand(input));
    expect((await page({})).AutoScalingGroups).toHaveLength(50);
    const first = await page({ MaxRecords: 100 });
    const second = await page({ MaxRecords: 100, NextToken: first.NextToken ?? "" });
    expect([first.AutoScalingGroups?.length, second.AutoScalingGroups?.length]).toEqual([100, 20]);
    expect(second.NextToken).toBeUndefined();
    expect(await refusal(page({ MaxRecords: 101 }))).toMatchObject({ name: "ValidationError" });
    expect(await refusal(page({ NextToken: "made-up" }))).toMatchObject({ name: "InvalidNextToken" });
  });

  test(`tags of any text come back as they are (${docs.describeGroups})`, async () => {
    const { autoScaling, cloud } = await openBench(open);
    const odd = `<a href="x">&amp; 'ü' ]]> tab\tline\nemoji \u{1F402}`;
    cloud.createGroup("g", { tags: { "drover:k&y": odd } });
    const [group] = (await autoScaling.send(named("g"))).AutoScalingGroups ?? [];
    expect(group?.Tags).toEqual([
      { ResourceId: "g", ResourceType: "auto-scaling-group", Key: "drover:k&y", Value: odd, PropagateAtLaunch: false },
    ]);
  });

  test(`IncludeInstances false leaves the instances out (${docs.describeGroups})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { desired: 1 });
    pass(60);
    const input = { AutoScalingGroupNames: ["g"], IncludeInstances: false };
    const [group] = (await autoScaling.send(new DescribeAutoScalingGroupsCommand(input))).AutoScalingGroups ?? [];
    expect(group?.DesiredCapacity).toBe(1);
    expect(group?.Instances ?? []).toEqual([]);
  });

  test(`a group being deleted says so, ends its instances and accepts no new capacity (${docs.describeGroups})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { desired: 1 });
    pass(60);
    cloud.deleteGroup("g");
    const [group] = (await autoScaling.send(named("g"))).AutoScalingGroups ?? [];
    expect(group?.Status).toBe("Delete in progress");
    expect(await refusal(autoScaling.send(set("g", 2)))).toMatchObject({ name: "ValidationError" });
    pass(60);
    expect((await autoScaling.send(named("g"))).AutoScalingGroups).toEqual([]);
  });

  test(`deleting with force drops lifecycle actions that still hold instances (${docs.deleteGroup})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { desired: 2, hooks: [{ name: "drain", transition: "terminating" }] });
    pass(60);
    const id = cloud.group("g")?.Instances?.[0]?.InstanceId;
    const end = { InstanceId: id, ShouldDecrementDesiredCapacity: true };
    await autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(end));
    cloud.deleteGroup("g");
    pass(60);
    expect((await autoScaling.send(named("g"))).AutoScalingGroups).toEqual([]);
  });
});
