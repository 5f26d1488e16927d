import { describe, expect, test } from "vitest";
import { zoomiesFleet } from "../../lib/capacity/group-fleet.ts";
import { whyNotServed } from "../../lib/zoomies/serves.ts";
import { makeGroup } from "./made-groups.ts";

function fleet(tags: Record<string, string>) {
  const { fleet: made } = zoomiesFleet(makeGroup({ tags }));
  if (made === undefined) throw new Error("The tags are wrong.");
  return made;
}

const wants = (hostSelector: Record<string, string>, backend = "docker") => ({
  poolId: "pool_a",
  backend,
  hostSelector,
});

describe("a pool's jobs can run on a group's hosts", () => {
  test("when it selects nothing, whatever the hosts answer", () => {
    expect(whyNotServed(fleet({}), wants({}))).toBeUndefined();
    expect(whyNotServed(fleet({ "drover:host-selector/zone": "a" }), wants({}))).toBeUndefined();
  });

  test("when every key has its equal tag, os and arch included", () => {
    const tags = {
      "drover:host-selector/zone": "a",
      "drover:host-selector/os": "linux",
      "drover:host-selector/arch": "arm64",
    };
    expect(whyNotServed(fleet(tags), wants({ zone: "a", os: "linux", arch: "arm64" }))).toBeUndefined();
  });

  test("when the hosts provide its backend", () => {
    expect(whyNotServed(fleet({ "drover:zoomies-backend": "podman" }), wants({}, "podman"))).toBeUndefined();
  });
});

describe("buying would not help, and the refusal names what to change:", () => {
  test.each([
    ["a key that no tag answers", {}, wants({ zone: "a" }), "selector_not_served", "drover:host-selector/zone"],
    ["another value", { "drover:host-selector/zone": "b" }, wants({ zone: "a" }), "selector_not_served", "answer b"],
    ["another case", { "drover:host-selector/zone": "A" }, wants({ zone: "a" }), "selector_not_served", "zone=a"],
    ["os without a tag", {}, wants({ os: "linux" }), "selector_not_served", "drover:host-selector/os"],
    ["arch without a tag", {}, wants({ arch: "arm64" }), "selector_not_served", "drover:host-selector/arch"],
    [
      "the second of two keys",
      { "drover:host-selector/os": "linux" },
      wants({ os: "linux", arch: "arm64" }),
      "selector_not_served",
      "drover:host-selector/arch",
    ],
    ["another backend", {}, wants({}, "podman"), "backend_not_served", "drover:zoomies-backend"],
    ["a backend nobody has", {}, wants({}, "firecracker"), "backend_not_served", "firecracker"],
    ["a part of every object as key", {}, wants({ constructor: "x" }), "selector_not_served", "say nothing of it"],
    ["toString as key", {}, wants({ toString: "x" }), "selector_not_served", "say nothing of it"],
  ])("%s", (_, tags, wanted, code, named) => {
    const refusal = whyNotServed(fleet(tags), wanted);
    expect(refusal).toMatchObject({ status: 422, code });
    expect(refusal?.message).toContain(named);
    expect(refusal?.message).toContain("builders");
  });

  test("__proto__ as key", () => {
    const hostSelector = Object.fromEntries([["__proto__", "x"]]);
    expect(whyNotServed(fleet({}), wants(hostSelector))?.code).toBe("selector_not_served");
  });
});
