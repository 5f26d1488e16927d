import { DescribeAutoScalingGroupsCommand, SetDesiredCapacityCommand } from "@aws-sdk/client-auto-scaling";
import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { openBench, refusal, ways } from "./ways.ts";

const describeApi = "https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html";
const setDesiredApi = "https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_SetDesiredCapacity.html";
const lifeCycleGuide = "https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-lifecycle.html";

const set = (group: string, desired: number, honorCooldown?: boolean) =>
  new SetDesiredCapacityCommand({
    AutoScalingGroupName: group,
    DesiredCapacity: desired,
    ...(honorCooldown === undefined ? {} : { HonorCooldown: honorCooldown }),
  });
const named = (...names: string[]) => new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: names });

describe.each(ways)("Auto Scaling groups through $way", ({ open }) => {
  test(`a raise is seen at once and its instances come into service later (${setDesiredApi}, ${lifeCycleGuide})`, async () => {
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

  test(`a desired capacity outside of min and max is refused and changes nothing (${setDesiredApi})`, async () => {
    const { autoScaling, cloud } = await openBench(open);
    cloud.createGroup("g", { minSize: 1, maxSize: 3, desired: 1 });
    expect(await refusal(autoScaling.send(set("g", 4)))).toMatchObject({ name: "ValidationError", status: 400 });
    expect((await refusal(autoScaling.send(set("g", 4)))).message).toContain("above max value 3");
    expect((await refusal(autoScaling.send(set("g", 0)))).message).toContain("below min value 1");
    expect(cloud.group("g")?.DesiredCapacity).toBe(1);
  });

  test(`an unknown group is a ValidationError for a write and simply absent for a read (${describeApi})`, async () => {
    const { autoScaling } = await openBench(open);
    const error = await refusal(autoScaling.send(set("nobody", 1)));
    expect(error).toMatchObject({ name: "ValidationError", status: 400 });
    expect(error.message).toContain("not found");
    expect((await autoScaling.send(named("nobody"))).AutoScalingGroups).toEqual([]);
  });

  test(`HonorCooldown refuses a second change inside the cooldown; without it the change is made (${setDesiredApi})`, async () => {
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
});
