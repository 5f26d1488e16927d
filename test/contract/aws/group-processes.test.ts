import { DescribeScalingActivitiesCommand, SetDesiredCapacityCommand } from "@aws-sdk/client-auto-scaling";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { type Bench, openBench, ways } from "./ways.ts";

const set = (desired: number) => new SetDesiredCapacityCommand({ AutoScalingGroupName: "g", DesiredCapacity: desired });
const members = (bench: Bench) => bench.cloud.group("g")?.Instances ?? [];
const zones = (bench: Bench) => members(bench).map((entry) => entry.AvailabilityZone);
const serving = (bench: Bench) => members(bench).filter((entry) => entry.LifecycleState === "InService");
const activities = async (bench: Bench) => {
  const answer = await bench.autoScaling.send(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: "g" }));
  return answer.Activities ?? [];
};

describe.each(ways)("A group's own processes through $way", ({ open }) => {
  test(`with Launch suspended the number rises and nothing launches until it is resumed (${docs.suspension})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { suspended: ["Launch"] });
    await bench.autoScaling.send(set(2));
    bench.pass(600);
    expect(bench.cloud.group("g")).toMatchObject({ DesiredCapacity: 2, Instances: [] });
    bench.cloud.updateGroup("g", { suspended: [] });
    bench.pass(60);
    expect(serving(bench)).toHaveLength(2);
  });

  test(`with Terminate suspended instances in service stay (${docs.suspensionLimits})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 2, suspended: ["Terminate"] });
    bench.pass(60);
    await bench.autoScaling.send(set(1));
    bench.pass(600);
    expect(serving(bench)).toHaveLength(2);
  });

  test(`uneven zones are evened out: a launch first, then an end in the fuller zone (${docs.rebalancing})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 4, maxSize: 4 });
    bench.pass(60);
    const [zone] = zones(bench);
    const inZone = members(bench).filter((entry) => entry.AvailabilityZone === zone);
    bench.cloud.setCapacity("*", zone ?? "", "none");
    for (const entry of inZone) bench.cloud.terminateByHand(entry.InstanceId ?? "");
    bench.pass(300);
    expect(new Set(zones(bench)).size).toBe(1);
    bench.cloud.setCapacity("*", zone ?? "", undefined);
    bench.cloud.updateGroup("g", {});
    bench.pass(5);
    expect(members(bench)).toHaveLength(5);
    bench.pass(10);
    expect(serving(bench)).toHaveLength(4);
    bench.pass(1200);
    expect(serving(bench)).toHaveLength(4);
    expect(zones(bench).filter((entry) => entry === zone)).toHaveLength(2);
  });

  test(`with AZRebalance suspended uneven zones stay as they are (${docs.suspension})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 4, suspended: ["AZRebalance"] });
    bench.pass(60);
    const [zone] = zones(bench);
    bench.cloud.setCapacity("*", zone ?? "", "none");
    for (const entry of members(bench)) {
      if (entry.AvailabilityZone === zone) bench.cloud.terminateByHand(entry.InstanceId ?? "");
    }
    bench.pass(300);
    bench.cloud.setCapacity("*", zone ?? "", undefined);
    bench.cloud.updateGroup("g", {});
    bench.pass(1200);
    expect(zones(bench)).not.toContain(zone);
    expect(serving(bench)).toHaveLength(4);
  });

  test(`an unhealthy instance is replaced, unless ReplaceUnhealthy is suspended (${docs.health}, ${docs.suspension})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, suspended: ["ReplaceUnhealthy"] });
    bench.pass(60);
    const sick = members(bench)[0]?.InstanceId ?? "";
    bench.cloud.failHealthCheck(sick);
    bench.pass(300);
    expect(members(bench)).toMatchObject([
      { InstanceId: sick, HealthStatus: "Unhealthy", LifecycleState: "InService" },
    ]);
    bench.cloud.updateGroup("g", { suspended: [] });
    bench.pass(300);
    expect(serving(bench)).toHaveLength(1);
    expect(serving(bench)[0]?.InstanceId).not.toBe(sick);
  });

  test(`a launch without capacity is a failed activity, tried again later (${docs.launchFailures})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g");
    bench.cloud.setCapacity("m7i.large", "*", "none");
    await bench.autoScaling.send(set(1));
    bench.pass(5);
    const [failed] = await activities(bench);
    expect(failed).toMatchObject({ StatusCode: "Failed", Progress: 100 });
    expect(failed?.StatusMessage).toContain("sufficient m7i.large capacity");
    expect(failed?.EndTime).toBeInstanceOf(Date);
    bench.cloud.setCapacity("m7i.large", "*", undefined);
    bench.pass(120);
    expect(serving(bench)).toHaveLength(1);
    expect((await activities(bench))[0]?.StatusCode).toBe("Successful");
  });

  test(`weighted types count their weight against the desired capacity (${docs.weights})`, async () => {
    const bench = await openBench(open);
    const template = bench.cloud.createLaunchTemplate({ name: "t" });
    bench.cloud.createGroup("g", {
      mixed: {
        LaunchTemplate: {
          LaunchTemplateSpecification: { LaunchTemplateId: template, Version: "$Latest" },
          Overrides: [{ InstanceType: "m7i.xlarge", WeightedCapacity: "2" }],
        },
      },
    });
    await bench.autoScaling.send(set(4));
    bench.pass(60);
    expect(serving(bench).map((entry) => entry.WeightedCapacity)).toEqual(["2", "2"]);
  });

  test(`an instance past its maximum lifetime is replaced (${docs.maxLifetime})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, newInstancesProtected: true, maxInstanceLifetime: 86_400 });
    bench.pass(60);
    const old = members(bench)[0]?.InstanceId ?? "";
    bench.pass(86_400);
    bench.pass(120);
    expect(serving(bench)).toHaveLength(1);
    expect(serving(bench)[0]?.InstanceId).not.toBe(old);
  });

  test(`an instance in standby gives its place up without being ended (${docs.standby})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1 });
    bench.pass(60);
    bench.cloud.setMemberState(members(bench)[0]?.InstanceId ?? "", "Standby");
    bench.pass(60);
    expect(members(bench).map((entry) => entry.LifecycleState)).toEqual(["Standby", "InService"]);
  });

  test(`with Launch suspended an unhealthy instance still ends, without a replacement (${docs.suspension})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1 });
    bench.pass(60);
    bench.cloud.updateGroup("g", { suspended: ["Launch"] });
    bench.cloud.failHealthCheck(members(bench)[0]?.InstanceId ?? "");
    bench.pass(300);
    expect(bench.cloud.group("g")).toMatchObject({ DesiredCapacity: 1, Instances: [] });
  });

  test(`with Terminate suspended an unhealthy instance waits for the resumption (${docs.suspension})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, suspended: ["Terminate"] });
    bench.pass(60);
    const sick = members(bench)[0]?.InstanceId ?? "";
    bench.cloud.failHealthCheck(sick);
    bench.pass(300);
    expect(serving(bench).map((entry) => entry.InstanceId)).toEqual([sick]);
    bench.cloud.updateGroup("g", { suspended: [] });
    bench.pass(300);
    expect(serving(bench).map((entry) => entry.InstanceId)).not.toContain(sick);
  });

  test(`with HealthCheck suspended a lost instance is not noticed (${docs.suspensionLimits})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, suspended: ["HealthCheck"] });
    bench.pass(60);
    bench.cloud.terminateByHand(members(bench)[0]?.InstanceId ?? "");
    bench.pass(600);
    expect(members(bench)).toMatchObject([{ LifecycleState: "InService", HealthStatus: "Healthy" }]);
  });

  test(`a scheduled action changes the group at its time, unless ScheduledActions is suspended (${docs.describeScheduled}, ${docs.suspension})`, async () => {
    const bench = await openBench(open);
    const action = {
      ScheduledActionName: "evening",
      DesiredCapacity: 0,
      StartTime: new Date(bench.clock.now() + 3_600_000),
    };
    bench.cloud.createGroup("g", { desired: 2, scheduledActions: [action] });
    bench.cloud.createGroup("h", { desired: 2, scheduledActions: [action], suspended: ["ScheduledActions"] });
    bench.pass(3700);
    expect([bench.cloud.group("g")?.DesiredCapacity, bench.cloud.group("h")?.DesiredCapacity]).toEqual([0, 2]);
    expect(members(bench)).toEqual([]);
  });
});
