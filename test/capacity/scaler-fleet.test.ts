import { describe, expect, test } from "vitest";
import { architectureOf, offeringsOf } from "../../lib/capacity/offerings.ts";
import { scalerFleet } from "../../lib/capacity/scaler-fleet.ts";

const good = {
  "drover:stack": "s",
  "drover:kici-scaler": "aws-linux",
  "drover:instance-types": "m7i.large c7i.xlarge",
  "drover:subnets": "subnet-00000001 subnet-0123456789abcdef0",
  "drover:max-instances": "40",
  "drover:max-lifetime-minutes": "120",
  "drover:agent-image": "quay.io/kici-dev/kici-agent:0.16.0",
};
const read = (tags: Record<string, string>) => scalerFleet({ id: "lt-1", name: "kici", version: "3", tags });
const without = (tag: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== tag));

test("a template's tags are a fleet", () => {
  expect(read(good).fleet).toEqual({
    template: { id: "lt-1", name: "kici", version: "3", tags: good },
    paused: false,
    instanceTypes: ["m7i.large", "c7i.xlarge"],
    subnets: ["subnet-00000001", "subnet-0123456789abcdef0"],
    maxInstances: 40,
    maxLifetimeMinutes: 120,
    agentImage: "quay.io/kici-dev/kici-agent:0.16.0",
  });
  expect(read({ ...good, "drover:paused": "" }).fleet?.paused).toBe(true);
});

test.each([
  "drover:instance-types",
  "drover:subnets",
  "drover:max-instances",
  "drover:max-lifetime-minutes",
  "drover:agent-image",
])("without %s the finding names the template, the tag and the fix", (tag) => {
  const [finding] = read(without(tag)).findings ?? [];
  expect(finding).toMatchObject({ code: "missing_tag", resource: "kici", tag, fix: expect.stringContaining(tag) });
});

describe("a tag that cannot be meant", () => {
  test.each([
    ["drover:instance-types", "m7i.large,c7i.xlarge"],
    ["drover:instance-types", "large"],
    ["drover:subnets", "subnet-1"],
    ["drover:subnets", "vpc-0123456789abcdef0"],
    ["drover:max-instances", "0"],
    ["drover:max-instances", "many"],
    ["drover:max-lifetime-minutes", "1.5"],
    ["drover:max-lifetime-minutes", "999999999"],
    ["drover:agent-image", "quay.io/kici-dev/kici-agent"],
    ["drover:agent-image", "quay.io/kici-dev/kici-agent:latest"],
    ["drover:agent-image", "localhost:5000/kici-agent"],
    ["drover:agent-image", "quay.io/kici-agent:1' ; reboot '"],
    ["drover:agent-image", "--privileged"],
    ["drover:agent-image", "quay.io/kici-agent@sha256:abc"],
  ])("%s = %s is a finding", (tag, value) => {
    const { fleet, findings } = read({ ...good, [tag]: value });
    expect(fleet).toBeUndefined();
    expect(findings).toMatchObject([{ code: "bad_tag", tag }]);
  });

  test("comes with every other one at once", () => {
    expect(read({ "drover:max-instances": "x" }).findings).toHaveLength(5);
  });
});

test.each([
  "kici-agent:0.16.0",
  "kici-agent:16",
  "localhost:5000/team/kici-agent:v1",
  `quay.io/kici-dev/kici-agent@sha256:${"a".repeat(64)}`,
  `quay.io/kici-dev/kici-agent:latest@sha256:${"a".repeat(64)}`,
  "123456789012.dkr.ecr.eu-west-1.amazonaws.com/kici_agent:2026-09-05",
])("%s is a pinned image", (image) => {
  expect(read({ ...good, "drover:agent-image": image }).fleet?.agentImage).toBe(image);
});

test("offerings are every subnet of the first type that is large enough, then of the next", () => {
  const type = (name: string, vcpus: number, gib: number) =>
    ({ name, vcpus, memoryBytes: gib * 1024 ** 3, architecture: "x86_64" }) as const;
  const types = [type("small", 2, 4), type("wide", 4, 8), type("tall", 2, 16)];
  const names = (need: object) =>
    offeringsOf(types, ["s1", "s2"], need).map((each) => `${each.instanceType} ${each.subnet}`);
  expect(names({})).toEqual(["small s1", "small s2", "wide s1", "wide s2", "tall s1", "tall s2"]);
  expect(names({ vcpus: 2.5 })).toEqual(["wide s1", "wide s2"]);
  expect(names({ memoryBytes: 8 * 1024 ** 3 + 1 })).toEqual(["tall s1", "tall s2"]);
  expect(names({ vcpus: 4, memoryBytes: 16 * 1024 ** 3 })).toEqual([]);
  expect(architectureOf(types)).toBe("x86_64");
  expect(architectureOf([])).toBeUndefined();
  expect(architectureOf([...types, { ...type("arm", 2, 4), architecture: "arm64" }])).toBeUndefined();
});
