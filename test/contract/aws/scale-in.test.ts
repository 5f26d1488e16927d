import {
  DescribeAutoScalingGroupsCommand,
  DescribeScalingActivitiesCommand,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { type Bench, openBench, refusal, ways } from "./ways.ts";

const set = (desired: number) => new SetDesiredCapacityCommand({ AutoScalingGroupName: "g", DesiredCapacity: desired });
const terminate = (id: string, decrement: boolean) =>
  new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: id, ShouldDecrementDesiredCapacity: decrement });
const members = (bench: Bench) => bench.cloud.group("g")?.Instances ?? [];
const ids = (bench: Bench) => members(bench).map((entry) => entry.InstanceId ?? "");
const inService = (bench: Bench) => members(bench).filter((entry) => entry.LifecycleState === "InService").length;

describe.each(ways)("Scaling in through $way", ({ open }) => {
  test(`a lower number ends the fullest zone's instance of the oldest template (${docs.terminationPolicies})`, async () => {
    const bench = await openBench(open);
    const template = bench.cloud.createLaunchTemplate({ name: "t" });
    bench.cloud.createGroup("g", { desired: 2, template: { id: template, version: "$Latest" } });
    bench.pass(60);
    bench.cloud.addLaunchTemplateVersion(template, { InstanceType: "m7i.xlarge" });
    await bench.autoScaling.send(set(3));
    bench.pass(60);
    const old = members(bench).filter((entry) => entry.LaunchTemplate?.Version === "1");
    const fresh = members(bench).find((entry) => entry.LaunchTemplate?.Version === "2");
    const victim = old.find((entry) => entry.AvailabilityZone === fresh?.AvailabilityZone)?.InstanceId ?? "";
    await bench.autoScaling.send(set(2));
    bench.pass(60);
    expect(ids(bench)).not.toContain(victim);
    expect(ids(bench)).toHaveLength(2);
  });

  test(`the fullest zone gives an instance up though an older one stands elsewhere (${docs.terminationPolicies})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, suspended: ["AZRebalance"], terminationPolicies: ["OldestInstance"] });
    bench.pass(60);
    const [oldest] = members(bench);
    bench.cloud.setCapacity("*", oldest?.AvailabilityZone ?? "", "none");
    await bench.autoScaling.send(set(2));
    bench.pass(60);
    const second = ids(bench)[1] ?? "";
    await bench.autoScaling.send(set(3));
    bench.pass(60);
    await bench.autoScaling.send(set(2));
    bench.pass(60);
    expect(ids(bench)).toContain(oldest?.InstanceId);
    expect(ids(bench)).not.toContain(second);
  });

  test(`protected instances stay though the desired capacity falls, and the history says why (${docs.protection})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 3, newInstancesProtected: true });
    bench.pass(60);
    await bench.autoScaling.send(set(1));
    bench.pass(120);
    expect(bench.cloud.group("g")?.DesiredCapacity).toBe(1);
    expect(inService(bench)).toBe(3);
    const history = await bench.autoScaling.send(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: "g" }));
    expect(history.Activities?.[0]?.Description).toContain("protected from scale-in");
    // The status as seen in the field: https://github.com/aws-samples/aws-fault-injection-simulator-workshop/issues/114
    expect(history.Activities?.[0]?.StatusCode).toBe("Cancelled");
    bench.cloud.protectFromScaleIn(ids(bench)[0] ?? "", false);
    bench.pass(60);
    expect(inService(bench)).toBe(2);
  });

  test(`protection begins in service: an instance on its way in is ended by a lower number (${docs.protection})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, newInstancesProtected: true });
    bench.pass(60);
    await bench.autoScaling.send(set(2));
    bench.pass(5);
    await bench.autoScaling.send(set(1));
    bench.pass(60);
    expect(inService(bench)).toBe(1);
  });

  test(`a named instance goes with its place when decremented, protected or not (${docs.terminateInGroup}, ${docs.protection})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { minSize: 1, desired: 3, newInstancesProtected: true, suspended: ["AZRebalance"] });
    bench.pass(60);
    const [victim = ""] = ids(bench);
    const { Activity: activity } = await bench.autoScaling.send(terminate(victim, true));
    expect(activity).toMatchObject({ AutoScalingGroupName: "g", StatusCode: "InProgress" });
    expect(activity?.Description).toContain(victim);
    const [group] =
      (await bench.autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ["g"] })))
        .AutoScalingGroups ?? [];
    expect(group?.DesiredCapacity).toBe(2);
    expect(group?.Instances?.find((entry) => entry.InstanceId === victim)?.LifecycleState).toBe("Terminating");
    bench.pass(120);
    expect(ids(bench)).not.toContain(victim);
    expect(inService(bench)).toBe(2);
  });

  test(`without decrement the instance is replaced (${docs.terminateInGroup})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1 });
    bench.pass(60);
    const [victim = ""] = ids(bench);
    await bench.autoScaling.send(terminate(victim, false));
    bench.pass(120);
    expect(bench.cloud.group("g")?.DesiredCapacity).toBe(1);
    expect(inService(bench)).toBe(1);
    expect(ids(bench)).not.toContain(victim);
  });

  test(`a decrement below the minimum is refused, and nothing ends (${docs.terminateInGroup})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { minSize: 1, desired: 1 });
    bench.pass(60);
    const error = await refusal(bench.autoScaling.send(terminate(ids(bench)[0] ?? "", true)));
    expect(error).toMatchObject({ name: "ValidationError", status: 400 });
    expect(error.message).toContain("min size constraint");
    bench.pass(60);
    expect(inService(bench)).toBe(1);
  });

  test(`an instance that no group manages is a ValidationError (${docs.terminateInGroup})`, async () => {
    const bench = await openBench(open);
    const error = await refusal(bench.autoScaling.send(terminate("i-0123456789abcdef0", true)));
    expect(error).toMatchObject({ name: "ValidationError" });
    expect(error.message).toContain("No managed instance found");
  });

  test(`an instance that somebody ends in EC2 is replaced, protected or not (${docs.health}, ${docs.protection})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, newInstancesProtected: true });
    bench.pass(60);
    const [lost = ""] = ids(bench);
    await bench.ec2.send(new TerminateInstancesCommand({ InstanceIds: [lost] }));
    expect(members(bench)[0]).toMatchObject({ InstanceId: lost, LifecycleState: "InService" });
    bench.pass(200);
    expect(inService(bench)).toBe(1);
    expect(ids(bench)).not.toContain(lost);
  });

  // Seen in the field: with Terminate suspended another autoscaler's named terminations went on working
  // (https://github.com/kubernetes/autoscaler/issues/2787).
  test("a named instance goes even while Terminate is suspended", async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 2, suspended: ["Terminate", "AZRebalance"] });
    bench.pass(60);
    const [victim = ""] = ids(bench);
    await bench.autoScaling.send(terminate(victim, true));
    bench.pass(120);
    expect(ids(bench)).not.toContain(victim);
    expect(inService(bench)).toBe(1);
  });

  test(`an instance of a warm pool cannot be named (${docs.terminateInGroup})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1 });
    bench.pass(60);
    const [warm = ""] = ids(bench);
    bench.cloud.setMemberState(warm, "Warmed:Stopped");
    expect(await refusal(bench.autoScaling.send(terminate(warm, true)))).toMatchObject({ name: "ValidationError" });
  });

  test("asking twice for the same end lowers twice here, so that a blind repeat cannot hide", async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 3, suspended: ["AZRebalance"] });
    bench.pass(60);
    const [victim = ""] = ids(bench);
    await bench.autoScaling.send(terminate(victim, true));
    await bench.autoScaling.send(terminate(victim, true));
    expect(bench.cloud.group("g")?.DesiredCapacity).toBe(1);
  });
});
