import { describe, expect, it } from "vitest";
import type { Group } from "../../lib/capacity/group.ts";
import { helmrFleet, helmrPolicyFields } from "../../lib/capacity/helmr-fleet.ts";
import { declaredWorkerGroups } from "../../lib/capacity/helmr-fleets.ts";

const group = (tags: Record<string, string>, name = "workers", change: Partial<Group> = {}): Group => ({
  name,
  min: 0,
  max: 10,
  desired: 0,
  tags: { "drover:stack": "drover", ...tags },
  suspended: [],
  newInstancesProtected: true,
  capacityRebalance: false,
  maxInstanceLifetimeSeconds: 0,
  weighted: false,
  hasWarmPool: false,
  warmPoolReuses: false,
  beingDeleted: false,
  instances: [],
  ...change,
});

const placed = { "drover:helmr-group": "default", "drover:helmr-pool": "large" };
const policyTags = Object.fromEntries(
  helmrPolicyFields.map((field, index) => [`drover:helmr-policy/${field}`, String(index)]),
);
const codesOf = (tags: Record<string, string>, change: Partial<Group> = {}) =>
  (helmrFleet(group(tags, "workers", change)).findings ?? []).map(({ code, tag }) => [code, tag]);

describe("the tags of a Helmr group", () => {
  it("need only the two names; scale-in is off until somebody says otherwise", () => {
    expect(helmrFleet(group(placed)).fleet).toEqual({
      group: "workers",
      paused: false,
      workerGroup: "default",
      pool: "large",
      scaleIn: "off",
      idleMinutes: 10,
      drainMinutes: 30,
      maxLaunchStep: undefined,
      policy: undefined,
      primaryMinimum: undefined,
    });
  });

  it("say everything else that a fleet may want", () => {
    const tags = {
      ...placed,
      ...policyTags,
      "drover:helmr-policy/memory_bytes": "137438953472",
      "drover:scale-in": "verified",
      "drover:idle-minutes": "5",
      "drover:drain-minutes": "45",
      "drover:max-launch-step": "3",
      "drover:paused": "",
      "drover:helmr-primary": "2",
    };
    expect(helmrFleet(group(tags)).fleet).toMatchObject({
      paused: true,
      scaleIn: "verified",
      idleMinutes: 5,
      drainMinutes: 45,
      maxLaunchStep: 3,
      primaryMinimum: 2,
      policy: { cpu_millis: 0, memory_bytes: 137_438_953_472, disk_bytes: 2, local_headroom_slots: 6 },
    });
  });

  it.each<[string, Record<string, string>, string, string]>([
    ["no pool", { "drover:helmr-group": "default" }, "missing_tag", "drover:helmr-pool"],
    ["no group", { "drover:helmr-pool": "large" }, "missing_tag", "drover:helmr-group"],
    ["blanks around a name", { ...placed, "drover:helmr-pool": " large" }, "bad_tag", "drover:helmr-pool"],
    ["an unknown scale-in", { ...placed, "drover:scale-in": "on" }, "bad_tag", "drover:scale-in"],
    ["no idle time", { ...placed, "drover:idle-minutes": "0" }, "bad_tag", "drover:idle-minutes"],
    ["no ready host", { ...placed, "drover:helmr-primary": "0" }, "bad_tag", "drover:helmr-primary"],
    ["a Zoomies pool", { ...placed, "drover:zoomies-pool/p1": "" }, "two_masters", "drover:helmr-group"],
    [
      "a seventh policy field missing",
      Object.fromEntries(Object.entries({ ...placed, ...policyTags }).filter(([tag]) => !tag.endsWith("/vm_slots"))),
      "missing_tag",
      "drover:helmr-policy/vm_slots",
    ],
    [
      "an eighth policy field",
      { ...placed, ...policyTags, "drover:helmr-policy/gpus": "1" },
      "bad_tag",
      "drover:helmr-policy/gpus",
    ],
    [
      "a policy field that is no number",
      { ...placed, ...policyTags, "drover:helmr-policy/max_tasks": "-1" },
      "bad_tag",
      "drover:helmr-policy/max_tasks",
    ],
  ])("with %s are a finding", (_name, tags, code, tag) => {
    expect(codesOf(tags)).toEqual([[code, tag]]);
  });

  it("on a group with weights are a finding, because a unit is not a host", () => {
    expect(codesOf(placed, { weighted: true })).toEqual([["weighted_capacity", undefined]]);
  });
});

describe("the Worker groups of a stack", () => {
  const member = (pool: string, name = pool, more: Record<string, string> = {}) =>
    group({ "drover:helmr-group": "default", "drover:helmr-pool": pool, ...more }, name);

  it("are whole when every tagged group can be served; others are none of theirs", () => {
    const other = group({ "drover:zoomies-pool/p1": "", "drover:slots-per-host": "1" }, "runners");
    const [only, ...rest] = declaredWorkerGroups([member("b"), member("a"), other]);
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ name: "default", isWhole: true, findings: [] });
    expect(only?.fleets.map(({ pool }) => pool)).toEqual(["a", "b"]);
  });

  it("lose one bad group and keep the others, but are not whole", () => {
    const [only] = declaredWorkerGroups([member("a"), member("b", "b", { "drover:idle-minutes": "soon" })]);
    expect(only).toMatchObject({
      isWhole: false,
      fleets: [{ pool: "a" }],
      findings: [{ code: "bad_tag", resource: "b" }],
    });
  });

  it("serve no pool that two groups supply, even if one of the two has other bad tags", () => {
    const twins = [member("a", "one"), member("a", "two", { "drover:idle-minutes": "soon" }), member("b")];
    const [only] = declaredWorkerGroups(twins);
    expect(only?.fleets.map(({ pool }) => pool)).toEqual(["b"]);
    expect(only?.findings.filter(({ code }) => code === "pool_supplied_twice").map(({ resource }) => resource)).toEqual(
      ["one", "two"],
    );
    expect(only?.isWhole).toBe(false);
  });

  it("let the same pool name live in two Worker groups", () => {
    const elsewhere = group({ "drover:helmr-group": "other", "drover:helmr-pool": "a" }, "elsewhere");
    expect(declaredWorkerGroups([member("a"), elsewhere]).map(({ isWhole }) => isWhole)).toEqual([true, true]);
  });

  it("choose no primary when two pools want to be it", () => {
    const primary = { "drover:helmr-primary": "1" };
    const [only] = declaredWorkerGroups([member("a", "a", primary), member("b", "b", primary)]);
    expect(only?.fleets.map(({ primaryMinimum }) => primaryMinimum)).toEqual([undefined, undefined]);
    expect(only?.findings.map(({ code }) => code)).toEqual(["several_primaries", "several_primaries"]);
    expect(only?.isWhole).toBe(true);
  });

  it("are left out as a whole past 64 pools", () => {
    const members = Array.from({ length: 65 }, (_, index) => member(`p${index}`));
    expect(declaredWorkerGroups(members)).toMatchObject([
      { fleets: [], isWhole: false, findings: [{ code: "too_many_pools" }] },
    ]);
    expect(declaredWorkerGroups(members.slice(1))[0]?.fleets).toHaveLength(64);
  });
});
