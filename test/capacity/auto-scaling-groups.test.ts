import { afterEach, describe, expect, test } from "vitest";
import { autoScalingGroups } from "../../lib/capacity/auto-scaling-groups.ts";
import type { Group } from "../../lib/capacity/group.ts";
import { type AutoScalingStub, groupXml, page, type StubAnswer, startAutoScalingStub } from "./auto-scaling-stub.ts";

const ours = { "drover:stack": "prod" };
let stub: AutoScalingStub | undefined;

afterEach(async () => {
  await stub?.close();
  stub = undefined;
});

async function groupsAnswering(answer: (request: URLSearchParams) => StubAnswer) {
  stub = await startAutoScalingStub(answer);
  return autoScalingGroups({ reads: stub.client, mutations: stub.client }, "prod");
}

async function only(inner: string, tags: Record<string, string> = ours): Promise<Group> {
  const groups = await groupsAnswering(() => page([groupXml("a", tags, inner)]));
  const [group] = await groups.owned({ instances: true });
  if (group === undefined) throw new Error("No group came back.");
  return group;
}

/** Three pages, told apart by the token of the request. */
const threePages = (request: URLSearchParams): StubAnswer => {
  const token = request.get("NextToken");
  if (token === null) return page([groupXml("a", ours), groupXml("b", ours)], "2");
  return token === "2" ? page([groupXml("c", ours)], "3") : page([groupXml("d", ours)]);
};

describe("discovery", () => {
  test("reads every page, asking for this stack's groups in the largest pages there are (cases.md 67)", async () => {
    const groups = await groupsAnswering(threePages);
    expect((await groups.owned({ instances: false })).map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    expect(stub?.requests).toHaveLength(3);
    for (const request of stub?.requests ?? []) {
      expect(request.get("Filters.member.1.Name")).toBe("tag:drover:stack");
      expect(request.get("Filters.member.1.Values.member.1")).toBe("prod");
      expect(request.get("MaxRecords")).toBe("100");
      expect(request.get("IncludeInstances")).toBe("false");
    }
  });

  test("goes on past an empty page that says there is more", async () => {
    const groups = await groupsAnswering((request) =>
      request.get("NextToken") === null ? page([], "2") : page([groupXml("a", ours)]),
    );
    expect((await groups.owned({ instances: false })).map(({ name }) => name)).toEqual(["a"]);
  });

  test.each<[string, StubAnswer]>([
    ["throttled", { code: "Throttling", status: 400 }],
    ["in error", { code: "InternalFailure", status: 500 }],
    ["cut off", "hang up"],
  ])("fails when its second page is %s, rather than take a part for the whole (cases.md 67)", async (_, second) => {
    const groups = await groupsAnswering((request) =>
      request.get("NextToken") === null ? page([groupXml("a", ours)], "2") : second,
    );
    await expect(groups.owned({ instances: false })).rejects.toThrow();
    await expect(groups.tagged("drover:zoomies-pool/p")).rejects.toThrow();
  });

  test("asks for instances only where they are wanted", async () => {
    const groups = await groupsAnswering(() => page([]));
    await groups.owned({ instances: true });
    await groups.owned({ instances: false });
    await groups.tagged("drover:zoomies-pool/p");
    await groups.named("a");
    expect(stub?.requests.map((request) => request.get("IncludeInstances"))).toEqual([
      "true",
      "false",
      "false",
      "false",
    ]);
  });

  test("never gives back a group of another stack or of none, whatever the answer holds", async () => {
    const tag = "drover:zoomies-pool/p";
    const foreign = [
      groupXml("b", { "drover:stack": "test", [tag]: "" }),
      groupXml("c", { [tag]: "" }),
      groupXml("d", { "drover:stack": "Prod", [tag]: "" }),
    ];
    const groups = await groupsAnswering(() => page([...foreign, groupXml("a", { ...ours, [tag]: "" })]));
    expect((await groups.owned({ instances: false })).map(({ name }) => name)).toEqual(["a"]);
    expect((await groups.tagged(tag)).map(({ name }) => name)).toEqual(["a"]);
    const alone = await groupsOnly(foreign.slice(0, 1));
    expect(await alone.named("b")).toBeUndefined();
  });

  test("by tag gives back only groups that carry exactly this tag", async () => {
    const groups = await groupsAnswering(() =>
      page([
        groupXml("a", { ...ours, "drover:zoomies-pool/pool_1": "" }),
        groupXml("b", { ...ours, "drover:zoomies-pool/pool_10": "" }),
      ]),
    );
    expect((await groups.tagged("drover:zoomies-pool/pool_1")).map(({ name }) => name)).toEqual(["a"]);
    expect(stub?.requests[0]?.get("Filters.member.2.Name")).toBe("tag-key");
    expect(stub?.requests[0]?.get("Filters.member.2.Values.member.1")).toBe("drover:zoomies-pool/pool_1");
  });

  test("by a name that is not there gives nothing", async () => {
    const groups = await groupsAnswering(() => page([]));
    expect(await groups.named("gone")).toBeUndefined();
    expect(stub?.requests[0]?.get("AutoScalingGroupNames.member.1")).toBe("gone");
  });

  test("fails on a group without its sizes, rather than take them for 0", async () => {
    const groups = await groupsAnswering(() =>
      page([groupXml("a", ours).replace("<DesiredCapacity>2</DesiredCapacity>", "")]),
    );
    await expect(groups.owned({ instances: false })).rejects.toThrow("(a) without its sizes");
  });
});

async function groupsOnly(members: readonly string[]) {
  await stub?.close();
  return groupsAnswering(() => page(members));
}

describe("a group as it was described", () => {
  test("has its sizes and tags, and by default nothing that speaks against it", async () => {
    expect(await only("", { ...ours, "drover:slots-per-host": "4" })).toEqual({
      name: "a",
      min: 0,
      max: 9,
      desired: 2,
      tags: { "drover:stack": "prod", "drover:slots-per-host": "4" },
      suspended: [],
      newInstancesProtected: true,
      capacityRebalance: false,
      maxInstanceLifetimeSeconds: 0,
      weighted: false,
      hasWarmPool: false,
      warmPoolReuses: false,
      beingDeleted: false,
      instances: [],
    });
  });

  test.each<[string, string, Partial<Group>]>([
    [
      "suspended processes",
      "<SuspendedProcesses><member><ProcessName>Launch</ProcessName></member><member><ProcessName>AZRebalance</ProcessName></member></SuspendedProcesses>",
      { suspended: ["Launch", "AZRebalance"] },
    ],
    ["a deletion under way", "<Status>Delete in progress</Status>", { beingDeleted: true }],
    ["capacity rebalance", "<CapacityRebalance>true</CapacityRebalance>", { capacityRebalance: true }],
    ["a maximum life", "<MaxInstanceLifetime>86400</MaxInstanceLifetime>", { maxInstanceLifetimeSeconds: 86_400 }],
    ["a warm pool", "<WarmPoolConfiguration><MinSize>0</MinSize></WarmPoolConfiguration>", { hasWarmPool: true }],
    ["capacity in vCPUs", "<DesiredCapacityType>vcpu</DesiredCapacityType>", { weighted: true }],
    ["capacity in memory", "<DesiredCapacityType>memory-mib</DesiredCapacityType>", { weighted: true }],
    ["capacity in units", "<DesiredCapacityType>units</DesiredCapacityType>", { weighted: false }],
    ["weights", overrides("<WeightedCapacity>2</WeightedCapacity>"), { weighted: true }],
    ["weights of 1", overrides("<WeightedCapacity>1</WeightedCapacity>"), { weighted: false }],
    ["several types without weights", overrides(""), { weighted: false }],
  ])("shows %s", async (_, inner, expected) => {
    expect(await only(inner)).toMatchObject(expected);
  });

  test("counts as unprotected when it does not say that new instances are protected", async () => {
    const answer = groupXml("a", ours).replace(/<NewInstancesProtected.*?>true<.*?>/, "");
    const groups = await groupsAnswering(() => page([answer]));
    expect((await groups.owned({ instances: false }))[0]?.newInstancesProtected).toBe(false);
  });

  test("has its instances, and a life-cycle state that nobody knows is unknown", async () => {
    const instance = (id: string, state: string, more = "") =>
      `<member><InstanceId>${id}</InstanceId><LifecycleState>${state}</LifecycleState>` +
      `<AvailabilityZone>eu-central-1a</AvailabilityZone>${more}</member>`;
    const { instances } = await only(
      `<Instances>${instance("i-1", "InService", "<HealthStatus>Healthy</HealthStatus><ProtectedFromScaleIn>true</ProtectedFromScaleIn>")}` +
        `${instance("i-2", "Terminating:Wait", "<HealthStatus>Unhealthy</HealthStatus>")}` +
        `${instance("i-3", "Hovering")}${instance("i-4", "")}${instance("i-5", "Warmed:Stopped")}</Instances>`,
    );
    expect(instances).toEqual([
      { id: "i-1", state: "InService", zone: "eu-central-1a", healthy: true, protected: true },
      { id: "i-2", state: "Terminating:Wait", zone: "eu-central-1a", healthy: false, protected: false },
      { id: "i-3", state: "unknown", zone: "eu-central-1a", healthy: false, protected: false },
      { id: "i-4", state: "unknown", zone: "eu-central-1a", healthy: false, protected: false },
      { id: "i-5", state: "Warmed:Stopped", zone: "eu-central-1a", healthy: false, protected: false },
    ]);
  });
});

function overrides(inner: string): string {
  const member = (type: string, more: string) => `<member><InstanceType>${type}</InstanceType>${more}</member>`;
  return (
    "<MixedInstancesPolicy><LaunchTemplate><Overrides>" +
    `${member("m7g.large", "")}${member("m7g.xlarge", inner)}` +
    "</Overrides></LaunchTemplate></MixedInstancesPolicy>"
  );
}

describe("a raise", () => {
  test("is sent once, absolute, and not held up by the group's cooldown (cases.md 58)", async () => {
    const groups = await groupsAnswering(() => ({ result: "" }));
    expect(await groups.raise("a", 5)).toEqual({ outcome: "accepted" });
    expect(Object.fromEntries(stub?.requests[0] ?? [])).toMatchObject({
      Action: "SetDesiredCapacity",
      AutoScalingGroupName: "a",
      DesiredCapacity: "5",
      HonorCooldown: "false",
    });
    expect(stub?.requests).toHaveLength(1);
  });

  test.each<[StubAnswer, object]>([
    [
      { code: "Throttling", status: 400 },
      { outcome: "refused", kind: "throttled" },
    ],
    [
      { code: "ScalingActivityInProgress", status: 400 },
      { outcome: "refused", kind: "busy" },
    ],
    [
      { code: "ResourceContention", status: 500 },
      { outcome: "refused", kind: "busy" },
    ],
    [
      { code: "ValidationError", status: 400 },
      { outcome: "refused", kind: "changed" },
    ],
    [
      { code: "AccessDenied", status: 403 },
      { outcome: "refused", kind: "denied" },
    ],
    [{ code: "InternalFailure", status: 500 }, { outcome: "unknown" }],
    [{ code: "ServiceUnavailable", status: 503 }, { outcome: "unknown" }],
    ["hang up", { outcome: "unknown" }],
  ])("that ends in %j is told as it is, and not sent again", async (answer, expected) => {
    const groups = await groupsAnswering(() => answer);
    expect(await groups.raise("a", 5)).toMatchObject(expected);
    expect(stub?.requests).toHaveLength(1);
  });
});
