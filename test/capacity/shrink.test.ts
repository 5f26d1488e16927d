import { afterEach, describe, expect, test } from "vitest";
import { autoScalingHooks } from "../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../lib/capacity/auto-scaling-shrink.ts";
import type { Group, LifecycleState } from "../../lib/capacity/group.ts";
import { autoScalingMembers } from "../../lib/capacity/members.ts";
import { unsafeToShrink } from "../../lib/capacity/safety.ts";
import type { ShrinkFacts } from "../../lib/capacity/shrink.ts";
import { type AutoScalingStub, type StubAnswer, startAutoScalingStub } from "./auto-scaling-stub.ts";
import { makeGroup } from "./made-group.ts";

const calm: ShrinkFacts = { activePolicies: [], scheduledActions: [], activeRefreshes: [] };
const safe = (more: Partial<Group> = {}) => makeGroup({}, { suspended: ["AZRebalance"], ...more });
const codes = (group: Group, facts = calm) => unsafeToShrink(group, facts).map(({ code }) => code);

const instance = (state: LifecycleState) => ({ id: "i-1", state, zone: "a", healthy: true, protected: true });

describe("a group is not safe to shrink", () => {
  test("only when something speaks against it", () => {
    expect(codes(safe())).toEqual([]);
    expect(
      codes(safe({ instances: [instance("InService"), instance("Pending:Wait"), instance("Terminating")] })),
    ).toEqual([]);
    expect(codes(safe({ hasWarmPool: true }))).toEqual([]);
  });

  test.each<[string, Partial<Group>, string]>([
    ["while it is being deleted", { beingDeleted: true }, "group_deleting"],
    ["while Launch is suspended", { suspended: ["AZRebalance", "Launch"] }, "launch_suspended"],
    ["while Terminate is suspended", { suspended: ["AZRebalance", "Terminate"] }, "terminate_suspended"],
    ["while AZRebalance is active", { suspended: [] }, "az_rebalance_active"],
    ["while new instances are not protected", { newInstancesProtected: false }, "not_protected"],
    ["with capacity rebalancing", { capacityRebalance: true }, "capacity_rebalance"],
    ["with a maximum instance lifetime", { maxInstanceLifetimeSeconds: 86_400 }, "instance_lifetime"],
    ["with a warm pool that takes instances back", { hasWarmPool: true, warmPoolReuses: true }, "warm_pool_reuses"],
    ...(["unknown", "Standby", "Detaching", "EnteringStandby", "Quarantined", "ReplacingRootVolume"] as const).map(
      (state): [string, Partial<Group>, string] => [
        `with an instance in state ${state}`,
        { instances: [instance(state)] },
        "instance_state",
      ],
    ),
  ])("%s", (_, more, code) => {
    expect(codes(safe(more))).toEqual([code]);
  });

  test.each<[string, Partial<ShrinkFacts>, string]>([
    ["with a scaling policy", { activePolicies: ["track"] }, "scaling_policy"],
    ["with a scheduled action", { scheduledActions: ["night"] }, "scheduled_action"],
    ["during an instance refresh", { activeRefreshes: ["r-1"] }, "refresh_active"],
  ])("%s, which the finding names", (_, more, code) => {
    const [finding] = unsafeToShrink(safe(), { ...calm, ...more });
    expect(finding).toMatchObject({ code, resource: "builders" });
    expect(finding?.fix).toContain(Object.values(more)[0]?.[0]);
  });
});

let stub: AutoScalingStub | undefined;
afterEach(async () => {
  await stub?.close();
  stub = undefined;
});

async function parts(answer: (request: URLSearchParams) => StubAnswer) {
  stub = await startAutoScalingStub(answer);
  const clients = { reads: stub.client, mutations: stub.client };
  return {
    shrink: autoScalingShrink(clients),
    hooks: autoScalingHooks(clients),
    members: autoScalingMembers(stub.client),
  };
}

describe("what AWS says beside the group", () => {
  test("is read to its last page; a policy that is off, a MinSize alone and an ended refresh do not matter", async () => {
    const { shrink } = await parts((request) => {
      switch (request.get("Action")) {
        case "DescribePolicies":
          return request.has("NextToken")
            ? {
                result:
                  "<ScalingPolicies><member><PolicyName>b</PolicyName><Enabled>true</Enabled></member></ScalingPolicies>",
              }
            : {
                result:
                  "<ScalingPolicies><member><PolicyName>a</PolicyName><Enabled>false</Enabled></member></ScalingPolicies><NextToken>n</NextToken>",
              };
        case "DescribeScheduledActions":
          return {
            result:
              "<ScheduledUpdateGroupActions><member><ScheduledActionName>day</ScheduledActionName><MinSize>2</MinSize></member>" +
              "<member><ScheduledActionName>night</ScheduledActionName><MaxSize>0</MaxSize></member></ScheduledUpdateGroupActions>",
          };
        default:
          return {
            result:
              "<InstanceRefreshes><member><InstanceRefreshId>r-2</InstanceRefreshId><Status>Baking</Status></member>" +
              "<member><InstanceRefreshId>r-1</InstanceRefreshId><Status>Successful</Status></member></InstanceRefreshes>",
          };
      }
    });
    expect(await shrink.facts("builders")).toEqual({
      activePolicies: ["b"],
      scheduledActions: ["night"],
      activeRefreshes: ["r-2"],
    });
  });

  test("throws when any of it cannot be had", async () => {
    const { shrink } = await parts((request) =>
      request.get("Action") === "DescribePolicies" ? { code: "AccessDenied", status: 403 } : { result: "" },
    );
    await expect(shrink.facts("builders")).rejects.toThrow();
  });
});

describe("a terminate", () => {
  test("names one instance and lowers desired capacity with it", async () => {
    const { shrink } = await parts(() => ({ result: "" }));
    expect(await shrink.terminate("i-1")).toEqual({ outcome: "accepted" });
    expect(Object.fromEntries(stub?.requests[0] ?? [])).toMatchObject({
      Action: "TerminateInstanceInAutoScalingGroup",
      InstanceId: "i-1",
      ShouldDecrementDesiredCapacity: "true",
    });
  });

  test.each<[StubAnswer, object]>([
    [
      { code: "ScalingActivityInProgress", status: 400 },
      { outcome: "refused", kind: "busy" },
    ],
    [
      { code: "ValidationError", status: 400 },
      { outcome: "refused", kind: "changed" },
    ],
    [
      { code: "Throttling", status: 400 },
      { outcome: "refused", kind: "throttled" },
    ],
    [
      { code: "AccessDenied", status: 403 },
      { outcome: "refused", kind: "denied" },
    ],
    [{ code: "InternalFailure", status: 500 }, { outcome: "unknown" }],
    ["hang up", { outcome: "unknown" }],
  ])("that is answered by %j is sent once", async (answer, outcome) => {
    const { shrink } = await parts(() => answer);
    expect(await shrink.terminate("i-1")).toMatchObject(outcome);
    expect(stub?.requests).toHaveLength(1);
  });
});

describe("lifecycle hooks", () => {
  test("are described with their transition, timeout and default, and answered for one instance", async () => {
    const { hooks } = await parts(() => ({
      result:
        "<LifecycleHooks><member><LifecycleHookName>joined</LifecycleHookName><HeartbeatTimeout>1200</HeartbeatTimeout>" +
        "<LifecycleTransition>autoscaling:EC2_INSTANCE_LAUNCHING</LifecycleTransition><DefaultResult>CONTINUE</DefaultResult></member>" +
        "<member><LifecycleHookName>leave</LifecycleHookName><LifecycleTransition>autoscaling:EC2_INSTANCE_TERMINATING</LifecycleTransition></member></LifecycleHooks>",
    }));
    expect(await hooks.of("builders")).toEqual([
      { name: "joined", transition: "launching", heartbeatSeconds: 1_200, defaultResult: "CONTINUE" },
      { name: "leave", transition: "terminating", heartbeatSeconds: 3_600, defaultResult: "ABANDON" },
    ]);
    const wait = { group: "builders", hook: "joined", instance: "i-1" };
    expect(await hooks.complete(wait, "ABANDON")).toEqual({ outcome: "accepted" });
    expect(await hooks.heartbeat(wait)).toEqual({ outcome: "accepted" });
    expect(Object.fromEntries(stub?.requests[1] ?? [])).toMatchObject({
      InstanceId: "i-1",
      LifecycleActionResult: "ABANDON",
      LifecycleHookName: "joined",
    });
  });
});

test("an instance's group and state are those of that instance, or none", async () => {
  const { members } = await parts((request) => ({
    result: request.toString().includes("i-1")
      ? "<AutoScalingInstances><member><InstanceId>i-1</InstanceId><AutoScalingGroupName>builders</AutoScalingGroupName><LifecycleState>Pending:Wait</LifecycleState></member></AutoScalingInstances>"
      : "<AutoScalingInstances></AutoScalingInstances>",
  }));
  expect(await members.of("i-1")).toEqual({ group: "builders", state: "Pending:Wait" });
  expect(await members.of("i-2")).toBeUndefined();
});
