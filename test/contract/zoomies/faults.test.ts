import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OddAnswer, ZoomiesDenied, ZoomiesUnavailable } from "../../../lib/zoomies/api.ts";
import { type ContractWorld, contractWorld, ways } from "./ways.ts";

describe.each(ways)("faults of Zoomies' API %s", (way) => {
  let world: ContractWorld;
  let id: string;
  beforeEach(async () => {
    world = await contractWorld(way);
    id = world.controller.joinHost({ name: "i-1", capacity: 2 }).id;
  });
  afterEach(() => world.close());

  const cordon = "POST /hosts/{id}/cordon";
  const isCordoned = () => world.controller.hostNamed("i-1")?.cordoned;

  test("an error is an error, has no effect, and meets the call it was meant for only", async () => {
    world.faults.add({ on: cordon, nth: 2, kind: "error", status: 503 });
    await world.hosts.cordon(id, true);
    await expect(world.hosts.cordon(id, false)).rejects.toThrow(ZoomiesUnavailable);
    expect(isCordoned()).toBe(true);
    await world.hosts.cordon(id, false);
    expect(isCordoned()).toBe(false);
  });

  test("nobody answers, and nothing happened", async () => {
    const mend = world.faults.add({ on: "*", kind: "unreachable" });
    await expect(world.hosts.cordon(id, true)).rejects.toThrow(ZoomiesUnavailable);
    expect(isCordoned()).toBe(false);
    mend();
    expect(await world.hosts.host(id)).toMatchObject({ cordoned: false });
  });

  test("a reply is lost after the effect", async () => {
    world.faults.add({ on: cordon, kind: "reply-lost" });
    await expect(world.hosts.cordon(id, true)).rejects.toThrow(ZoomiesUnavailable);
    expect(isCordoned()).toBe(true);
  });

  test("an answer comes late", async () => {
    world.faults.add({ on: cordon, kind: "delay", ms: 20 });
    expect(await world.hosts.cordon(id, true)).toMatchObject({ cordoned: true });
  });

  test.each<[string, unknown]>([
    ["another object", {}],
    ["a list without rows", { items: "none" }],
    ["fewer rows than it says", { items: [], total: 1 }],
  ])("an odd answer proves nothing: %s", async (_what, body) => {
    world.faults.add({ on: "GET /hosts", kind: "odd", distort: () => ({ status: 200, body }) });
    await expect(world.hosts.hosts()).rejects.toThrow(OddAnswer);
  });

  test("a token that is not taken any more is told apart from an outage", async () => {
    world.faults.add({ on: "GET /hosts", kind: "error", status: 401, code: "unauthorized" });
    await expect(world.hosts.hosts()).rejects.toThrow(ZoomiesDenied);
    world.faults.clear();
    expect(await world.hosts.hosts()).toHaveLength(1);
  });
});
