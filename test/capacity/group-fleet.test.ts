import { describe, expect, test } from "vitest";
import type { Finding } from "../../lib/capacity/finding.ts";
import { zoomiesFleet } from "../../lib/capacity/group-fleet.ts";
import { makeGroup } from "./made-group.ts";

const least = { "drover:slots-per-host": "4", "drover:zoomies-pool/pool_1": "builds" };

function findings(tags: Record<string, string>, more = {}): readonly Finding[] {
  return zoomiesFleet(makeGroup(tags, more)).findings ?? [];
}

describe("a group's tags", () => {
  test("make a fleet, with what is absent as documented", () => {
    expect(zoomiesFleet(makeGroup(least)).fleet).toEqual({
      group: "builders",
      paused: false,
      pools: ["pool_1"],
      slotsPerHost: 4,
      outsideSlots: 0,
      backend: "docker",
      selector: {},
      maxLaunchStep: undefined,
      scaleIn: "off",
      idleMs: 600_000,
      drainMs: 1_800_000,
      maxDrains: 1,
    });
  });

  test("make a fleet, with everything that can be said", () => {
    const tags = {
      ...least,
      "drover:zoomies-pool/pool_2": "",
      "drover:paused": "for the migration",
      "drover:outside-slots": "6",
      "drover:zoomies-backend": "podman",
      "drover:host-selector/os": "linux",
      "drover:host-selector/example.com/zone": "a b",
      "drover:max-launch-step": "5",
      "drover:scale-in": "verified",
      "drover:idle-minutes": "3",
      "drover:drain-minutes": "20",
      "drover:max-drains": "4",
    };
    expect(zoomiesFleet(makeGroup(tags)).fleet).toEqual({
      group: "builders",
      paused: true,
      pools: ["pool_1", "pool_2"],
      slotsPerHost: 4,
      outsideSlots: 6,
      backend: "podman",
      selector: { os: "linux", "example.com/zone": "a b" },
      maxLaunchStep: 5,
      scaleIn: "verified",
      idleMs: 180_000,
      drainMs: 1_200_000,
      maxDrains: 4,
    });
  });

  test("of somebody else's do not matter", () => {
    const tags = { ...least, Name: "x", "aws:autoscaling:groupName": "y", "drover-slots": "z", constructor: "w" };
    expect(zoomiesFleet(makeGroup(tags)).findings).toBeUndefined();
  });

  test("that pause a group do so whatever they say, even nothing", () => {
    for (const value of ["", "true", "false", "no"]) {
      expect(zoomiesFleet(makeGroup({ ...least, "drover:paused": value })).fleet?.paused).toBe(true);
    }
  });

  test("with an empty pool id or selector key name nothing", () => {
    const tags = { ...least, "drover:zoomies-pool/": "x", "drover:host-selector/": "y" };
    expect(zoomiesFleet(makeGroup(tags)).fleet).toMatchObject({ pools: ["pool_1"], selector: {} });
  });

  test("may name pools and keys that every object has", () => {
    const tags = { ...least, "drover:zoomies-pool/constructor": "x", "drover:host-selector/__proto__": "y" };
    const { fleet } = zoomiesFleet(makeGroup(tags));
    expect(fleet?.pools).toEqual(["pool_1", "constructor"]);
    expect(Object.entries(fleet?.selector ?? {})).toEqual([["__proto__", "y"]]);
  });
});

describe("a tag that is wrong is one finding with the resource, the tag and the fix:", () => {
  const notWhole = ["", " ", "0", "-1", "1.5", "four", "1e3", "0x4", "4 ", "1234567890", "٤"];

  test.each([
    ...notWhole.map((value) => ["drover:slots-per-host", value] as const),
    ...notWhole.filter((value) => value !== "0").map((value) => ["drover:outside-slots", value] as const),
    ...notWhole.map((value) => ["drover:max-launch-step", value] as const),
    ["drover:zoomies-backend", ""] as const,
    ["drover:zoomies-backend", "Docker"] as const,
    ["drover:zoomies-backend", "containerd"] as const,
  ])("%s %j", (tag, value) => {
    const found = findings({ ...least, [tag]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ code: "bad_tag", resource: "builders", tag });
    expect(found[0]?.message).toContain(`"${value}"`);
    expect(found[0]?.fix).toContain(tag);
    expect(found[0]?.fix).toContain("builders");
  });

  test("no slots per host", () => {
    const [found, ...others] = findings({ "drover:zoomies-pool/pool_1": "" });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "missing_tag", resource: "builders", tag: "drover:slots-per-host" });
    expect(found?.fix).toContain("drover:slots-per-host");
  });

  test("tags of two protocols", () => {
    const [found, ...others] = findings({ ...least, "drover:helmr-group": "workers" });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "two_masters", resource: "builders", tag: "drover:helmr-group" });
  });

  test("weights, which are no tag", () => {
    const [found, ...others] = findings(least, { weighted: true });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "weighted_capacity", resource: "builders" });
    expect(found?.tag).toBeUndefined();
  });
});

test("all that is wrong is found at once, and there is no fleet then", () => {
  const tags = {
    "drover:slots-per-host": "none",
    "drover:outside-slots": "-3",
    "drover:max-launch-step": "0",
    "drover:zoomies-backend": "lxc",
    "drover:helmr-group": "workers",
  };
  const result = zoomiesFleet(makeGroup(tags, { weighted: true }));
  expect(result.fleet).toBeUndefined();
  expect(result.findings?.map(({ code, tag }) => `${code} ${tag ?? ""}`.trim()).sort()).toEqual([
    "bad_tag drover:max-launch-step",
    "bad_tag drover:outside-slots",
    "bad_tag drover:slots-per-host",
    "bad_tag drover:zoomies-backend",
    "two_masters drover:helmr-group",
    "weighted_capacity",
  ]);
});
