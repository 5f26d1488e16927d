import { describe, expect, test } from "vitest";
import type { Group } from "../../lib/capacity/group.ts";
import { unsafeToGrow } from "../../lib/capacity/safety.ts";
import { makeGroup } from "./made-group.ts";

const codes = (more: Partial<Group>) => unsafeToGrow(makeGroup({}, more)).map(({ code }) => code);

describe("a group is safe to grow", () => {
  test("when new instances are protected, Launch runs, and it is not being deleted", () => {
    expect(codes({})).toEqual([]);
  });

  test("whatever else is suspended or set: only shrinking minds that", () => {
    expect(codes({ suspended: ["Terminate", "AZRebalance", "HealthCheck", "ReplaceUnhealthy"] })).toEqual([]);
    expect(codes({ capacityRebalance: true, maxInstanceLifetimeSeconds: 86_400, hasWarmPool: true })).toEqual([]);
  });
});

describe("a group is not safe to grow", () => {
  test.each<[string, Partial<Group>, string]>([
    ["while it is being deleted", { beingDeleted: true }, "group_deleting"],
    ["while Launch is suspended", { suspended: ["AZRebalance", "Launch"] }, "launch_suspended"],
    ["when new instances are not protected", { newInstancesProtected: false }, "not_protected"],
  ])("%s", (_, more, code) => {
    const [found, ...others] = unsafeToGrow(makeGroup({}, more));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code, resource: "builders" });
    expect(found?.message.length).toBeGreaterThan(10);
    expect(found?.fix.length).toBeGreaterThan(10);
  });

  test("for every reason at once", () => {
    const found = codes({ beingDeleted: true, suspended: ["Launch"], newInstancesProtected: false });
    expect(found).toEqual(["group_deleting", "launch_suspended", "not_protected"]);
  });
});
