import {
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeInstanceRefreshesCommand,
  DescribePoliciesCommand,
  DescribeScalingActivitiesCommand,
  DescribeScheduledActionsCommand,
  DescribeWarmPoolCommand,
} from "@aws-sdk/client-auto-scaling";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { openBench, refusal, ways } from "./ways.ts";

describe.each(ways)("What works on a group beside Drover, through $way", ({ open }) => {
  test(`policies, scheduled actions and refreshes are shown as declared (${docs.describePolicies}, ${docs.describeScheduled}, ${docs.describeRefreshes})`, async () => {
    const { autoScaling, cloud, clock } = await openBench(open);
    const StartTime = new Date(clock.now() + 3_600_000);
    cloud.createGroup("g", {
      policies: [{ PolicyName: "cpu", PolicyType: "TargetTrackingScaling", Enabled: true }],
      scheduledActions: [{ ScheduledActionName: "night", DesiredCapacity: 0, StartTime }],
      refreshes: [{ InstanceRefreshId: "r-1", Status: "InProgress", PercentageComplete: 50 }],
    });
    const AutoScalingGroupName = "g";
    const policies = await autoScaling.send(new DescribePoliciesCommand({ AutoScalingGroupName }));
    expect(policies.ScalingPolicies).toMatchObject([{ AutoScalingGroupName: "g", PolicyName: "cpu", Enabled: true }]);
    const actions = await autoScaling.send(new DescribeScheduledActionsCommand({ AutoScalingGroupName }));
    expect(actions.ScheduledUpdateGroupActions).toMatchObject([
      { ScheduledActionName: "night", DesiredCapacity: 0, StartTime },
    ]);
    const refreshes = await autoScaling.send(new DescribeInstanceRefreshesCommand({ AutoScalingGroupName }));
    expect(refreshes.InstanceRefreshes).toMatchObject([{ InstanceRefreshId: "r-1", Status: "InProgress" }]);
    const unknown = autoScaling.send(new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: "nobody" }));
    expect((await refusal(unknown)).name).toBe("ValidationError");
  });

  test(`warm instances are listed by the warm pool, not by the group (${docs.describeWarmPool})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { desired: 1, warmPool: { MinSize: 1, PoolState: "Stopped" } });
    pass(60);
    const warm = cloud.group("g")?.Instances?.[0]?.InstanceId ?? "";
    cloud.setMemberState(warm, "Warmed:Stopped");
    const pool = await autoScaling.send(new DescribeWarmPoolCommand({ AutoScalingGroupName: "g" }));
    expect(pool.Instances?.map((entry) => [entry.InstanceId, entry.LifecycleState])).toEqual([
      [warm, "Warmed:Stopped"],
    ]);
    expect(pool.WarmPoolConfiguration).toMatchObject({ MinSize: 1, PoolState: "Stopped" });
    const described = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ["g"] }));
    expect(described.AutoScalingGroups?.[0]).toMatchObject({ WarmPoolSize: 1, Instances: [] });
  });

  test(`everything that makes a group unsafe to shrink is on its description (${docs.describeGroups})`, async () => {
    const { autoScaling, cloud } = await openBench(open);
    cloud.createGroup("g", {
      suspended: ["AZRebalance", "Terminate"],
      newInstancesProtected: true,
      capacityRebalance: true,
      maxInstanceLifetime: 604_800,
      maintenance: { MinHealthyPercentage: 90, MaxHealthyPercentage: 120 },
    });
    const answer = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ["g"] }));
    const [group] = answer.AutoScalingGroups ?? [];
    expect(group).toMatchObject({
      NewInstancesProtectedFromScaleIn: true,
      CapacityRebalance: true,
      MaxInstanceLifetime: 604_800,
      InstanceMaintenancePolicy: { MinHealthyPercentage: 90, MaxHealthyPercentage: 120 },
    });
    expect(group?.SuspendedProcesses?.map((entry) => entry.ProcessName)).toEqual(["AZRebalance", "Terminate"]);
    expect(group?.SuspendedProcesses?.[0]?.SuspensionReason).toMatch(/^User suspended at 2026-01-05T09:00:00Z$/);
  });

  test(`activities come newest first, page by page (${docs.describeActivities})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { desired: 5 });
    pass(60);
    cloud.setDesired("g", 4);
    pass(60);
    const first = await autoScaling.send(
      new DescribeScalingActivitiesCommand({ AutoScalingGroupName: "g", MaxRecords: 4 }),
    );
    expect(first.Activities?.[0]?.Description).toContain("Terminating EC2 instance");
    const NextToken = first.NextToken ?? "";
    const rest = await autoScaling.send(
      new DescribeScalingActivitiesCommand({ AutoScalingGroupName: "g", MaxRecords: 4, NextToken }),
    );
    const ids = [...(first.Activities ?? []), ...(rest.Activities ?? [])].map((entry) => entry.ActivityId);
    expect(new Set(ids).size).toBe(6);
  });

  test(`an instance names its group; unknown instances are left out (${docs.describeGroupInstances})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { desired: 1, newInstancesProtected: true });
    pass(60);
    const id = cloud.group("g")?.Instances?.[0]?.InstanceId ?? "";
    const answer = await autoScaling.send(
      new DescribeAutoScalingInstancesCommand({ InstanceIds: [id, "i-0123456789abcdef0"] }),
    );
    expect(answer.AutoScalingInstances).toMatchObject([
      {
        InstanceId: id,
        AutoScalingGroupName: "g",
        HealthStatus: "HEALTHY",
        LifecycleState: "InService",
        ProtectedFromScaleIn: true,
      },
    ]);
  });

  test(`a read may be behind a write that succeeded (${docs.describeGroups})`, async () => {
    const { autoScaling, cloud, pass } = await openBench(open, { describeLagMs: 3000 });
    cloud.createGroup("g", { minSize: 1, desired: 1 });
    pass(60);
    cloud.updateGroup("g", { desired: 2 });
    const desired = async () => {
      const answer = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ["g"] }));
      return answer.AutoScalingGroups?.[0]?.DesiredCapacity;
    };
    expect(await desired()).toBe(1);
    pass(4);
    expect(await desired()).toBe(2);
  });

  test("a lag that begins later does not hide what was there before", async () => {
    const { autoScaling, cloud, pass } = await openBench(open);
    cloud.createGroup("g", { desired: 1 });
    pass(60);
    cloud.setDescribeLag((resource) => (resource === "group/g" ? 10_000 : 0));
    cloud.updateGroup("g", { desired: 3 });
    const desired = async () => {
      const answer = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ["g"] }));
      return answer.AutoScalingGroups?.[0]?.DesiredCapacity;
    };
    expect(await desired()).toBe(1);
    cloud.setDescribeLag(0);
    expect(await desired()).toBe(3);
  });
});
