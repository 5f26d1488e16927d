import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Group } from "../../lib/capacity/group.ts";
import { zoomiesFleet } from "../../lib/capacity/group-fleet.ts";
import { decideRaise, type RaiseDecision, type RaiseObservation } from "../../lib/zoomies/raise-decision.ts";
import { makeGroup } from "./made-groups.ts";
import { arrivals, freshMs, minute, newestByPool, noon, reading } from "./made-readings.ts";

function decide(group: Group, more: Partial<RaiseObservation> = {}): RaiseDecision {
  const readings = { pool_a: reading(8, 3) };
  const observation = {
    group,
    tags: zoomiesFleet(group),
    readings,
    pending: true,
    lastRaise: undefined,
    now: noon,
    freshMs,
  };
  return decideRaise({ ...observation, ...more });
}

describe("how far a group is raised", () => {
  test("the contract's sample: 11 slots with 4 a host are 3 hosts", () => {
    expect(decide(makeGroup({ desired: 2 }))).toMatchObject({
      raiseTo: 3,
      from: 2,
      slots: 11,
      hosts: 3,
      pending: false,
      capped: false,
    });
  });

  test("not at all when it has that much: demand never lowers, whatever the numbers", () => {
    for (const desired of [3, 4, 20]) {
      expect(decide(makeGroup({ desired }))).toMatchObject({ raiseTo: undefined, from: desired, pending: false });
    }
    expect(decide(makeGroup({ desired: 9 }), { readings: { pool_a: reading(0, 1) } }).raiseTo).toBeUndefined();
  });

  test("slots of hosts outside the group are taken off before rounding up", () => {
    const group = makeGroup({ desired: 0, tags: { "drover:outside-slots": "7" } });
    expect(decide(group)).toMatchObject({ raiseTo: 1, slots: 11, hosts: 1 });
    expect(decide(makeGroup({ desired: 0, tags: { "drover:outside-slots": "8" } })).raiseTo).toBe(1);
    expect(decide(makeGroup({ desired: 0, tags: { "drover:outside-slots": "11" } })).raiseTo).toBeUndefined();
    expect(decide(makeGroup({ desired: 0, tags: { "drover:outside-slots": "500" } })).hosts).toBe(0);
  });

  test("to MaxSize and no further, and the reason says so (cases.md 59)", () => {
    const group = makeGroup({ desired: 5, max: 10, tags: { "drover:slots-per-host": "1" } });
    const decision = decide(group);
    expect(decision).toMatchObject({ raiseTo: 10, hosts: 11, capped: true, pending: true });
    expect(decision.reasons.join()).toContain("MaxSize 10 holds back 1 of 11 hosts");
  });

  test("not at all when it is at MaxSize (cases.md 34, 35)", () => {
    const group = makeGroup({ desired: 10, max: 10, tags: { "drover:slots-per-host": "1" } });
    expect(decide(group)).toMatchObject({ raiseTo: undefined, capped: true, pending: true });
  });

  test("at least to MinSize once it is raised", () => {
    const group = makeGroup({ min: 5, desired: 5 });
    expect(decide(group).raiseTo).toBeUndefined();
    expect(decide(group).reasons.join()).toContain("MinSize 5");
  });

  test("one step at a time, the next run goes on", () => {
    const readings = { pool_a: reading(20, 20) };
    const tags = { "drover:max-launch-step": "3" };
    const steps: (number | undefined)[] = [];
    for (let desired = 2; steps.at(-1) !== undefined || steps.length === 0; ) {
      const decision = decide(makeGroup({ desired, tags }), { readings });
      steps.push(decision.raiseTo);
      if (decision.raiseTo !== undefined) expect(decision.pending).toBe(decision.raiseTo < 10);
      desired = decision.raiseTo ?? desired;
    }
    expect(steps).toEqual([5, 8, 10, undefined]);
  });

  test("readings of pools that the group does not serve, or no longer, do not count", () => {
    const readings = { pool_a: reading(8, 3), pool_gone: reading(40, 30) };
    expect(decide(makeGroup(), { readings }).slots).toBe(11);
    expect(decide(makeGroup(), { readings: { pool_gone: reading(40, 30) } }).slots).toBeUndefined();
  });

  test("readings whose selector or backend the hosts do not meet any more do not count", () => {
    const other = reading(40, 30, { hostSelector: { zone: "a" } });
    expect(decide(makeGroup(), { readings: { pool_a: reading(8, 3), pool_b: other } }).slots).toBe(11);
    const podman = reading(40, 30, { backend: "podman" });
    expect(decide(makeGroup(), { readings: { pool_a: reading(8, 3), pool_b: podman } }).slots).toBe(11);
  });
});

describe("a group that must not be raised keeps its demand for later:", () => {
  test.each<[string, Partial<Group>, string]>([
    ["paused", { tags: { "drover:paused": "" } }, "paused"],
    ["Launch suspended", { suspended: ["Launch"] }, "Launch"],
    ["new instances not protected", { newInstancesProtected: false }, "not protected"],
    ["being deleted", { beingDeleted: true }, "being deleted"],
    ["no slots per host", { tags: { "drover:slots-per-host": "" } }, "drover:slots-per-host"],
    ["weighted", { weighted: true }, "weights"],
    ["two masters", { tags: { "drover:helmr-group": "workers" } }, "Helmr"],
  ])("%s", (_, more, reason) => {
    const decision = decide(makeGroup(more));
    expect(decision).toMatchObject({ raiseTo: undefined, from: 2, pending: true, expired: false });
    expect(decision.reasons.join()).toContain(reason);
  });

  test("suspended processes that do not launch do not matter", () => {
    expect(decide(makeGroup({ suspended: ["AZRebalance", "Terminate"] })).raiseTo).toBe(3);
  });
});

describe("a describe that lags behind our own raise", () => {
  const lastRaise = { to: 7, at: noon - 10_000 };

  test("is not taken for the truth: the group counts as what we raised it to", () => {
    expect(decide(makeGroup({ desired: 2 }), { lastRaise })).toMatchObject({ raiseTo: undefined, from: 7 });
    const readings = { pool_a: reading(30, 6) };
    expect(decide(makeGroup({ desired: 2 }), { lastRaise, readings })).toMatchObject({ raiseTo: 9, from: 7 });
  });

  test("is believed after two minutes", () => {
    const long = { to: 7, at: noon - 2 * minute };
    expect(decide(makeGroup({ desired: 2 }), { lastRaise: long })).toMatchObject({ raiseTo: 3, from: 2 });
  });

  test("may also be a group that somebody lowered meanwhile: demand stays pending until it is believed", () => {
    expect(decide(makeGroup({ desired: 2 }), { lastRaise }).pending).toBe(true);
    expect(decide(makeGroup({ desired: 3 }), { lastRaise }).pending).toBe(false);
  });

  test("does not count for more than a MaxSize that was lowered since", () => {
    expect(decide(makeGroup({ desired: 2, max: 5 }), { lastRaise })).toMatchObject({ raiseTo: undefined, from: 5 });
  });

  test("is forgotten once the group has more", () => {
    expect(decide(makeGroup({ desired: 8 }), { lastRaise }).from).toBe(8);
  });
});

describe("demand that grew too old", () => {
  const readings = { pool_a: reading(8, 3, { ago: freshMs }) };

  test("is told once, when it was still to be met", () => {
    expect(decide(makeGroup(), { readings })).toMatchObject({ raiseTo: undefined, pending: false, expired: true });
    expect(decide(makeGroup(), { readings, pending: false }).expired).toBe(false);
  });

  test("is no loss when the group has what it asked for, or all that MaxSize allows", () => {
    expect(decide(makeGroup({ desired: 3 }), { readings }).expired).toBe(false);
    expect(decide(makeGroup({ desired: 2, max: 2 }), { readings }).expired).toBe(false);
  });
});

/** Any group that Auto Scaling can show: desired within its bounds; sometimes paused or unsafe. */
const anyGroup: fc.Arbitrary<Group> = fc
  .record({
    sizes: fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)),
    slots: fc.integer({ min: 1, max: 8 }),
    outside: fc.nat(20),
    step: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    protect: fc.boolean(),
    paused: fc.boolean(),
    suspended: fc.constantFrom<string[]>([], ["Launch"], ["AZRebalance"]),
    deleting: fc.boolean(),
    badTag: fc.boolean(),
    healthy: fc.boolean(),
  })
  .map(({ sizes, slots, outside, step, protect, paused, suspended, deleting, badTag, healthy }) => {
    const [min = 0, desired = 0, max = 0] = [...sizes].sort((a, b) => a - b);
    return makeGroup({
      min,
      desired,
      max,
      newInstancesProtected: healthy || protect,
      suspended: healthy ? [] : suspended,
      beingDeleted: !healthy && deleting,
      tags: {
        "drover:slots-per-host": String(slots),
        "drover:outside-slots": !healthy && badTag ? "some" : String(outside),
        ...(step === undefined ? {} : { "drover:max-launch-step": String(step) }),
        ...(!healthy && paused ? { "drover:paused": "yes" } : {}),
      },
    });
  });

const anyObservation: fc.Arbitrary<RaiseObservation> = fc
  .record({
    group: anyGroup,
    arrived: arrivals,
    pending: fc.boolean(),
    lastRaise: fc.option(fc.record({ to: fc.nat(40), ago: fc.integer({ min: 0, max: 5 * minute }) }), {
      nil: undefined,
    }),
  })
  .map(({ group, arrived, pending, lastRaise }) => ({
    group,
    tags: zoomiesFleet(group),
    readings: newestByPool(arrived),
    pending,
    lastRaise: lastRaise && { to: lastRaise.to, at: noon - lastRaise.ago },
    now: noon,
    freshMs,
  }));

function always(check: (decision: RaiseDecision, observation: RaiseObservation) => void): void {
  fc.assert(
    fc.property(anyObservation, (observation) => check(decideRaise(observation), observation)),
    { numRuns: 2_000 },
  );
}

describe("for every group, readings and last raise", () => {
  test("a raise is above what the group has, and within MinSize and MaxSize (cases.md 34, 35, 59)", () => {
    always(({ raiseTo, from }, { group }) => {
      if (raiseTo === undefined) return;
      expect(raiseTo).toBeGreaterThan(from);
      expect(raiseTo).toBeGreaterThan(group.desired);
      expect(raiseTo).toBeGreaterThanOrEqual(group.min);
      expect(raiseTo).toBeLessThanOrEqual(group.max);
      expect(Number.isInteger(raiseTo)).toBe(true);
    });
  });

  test("a raise is never above the hosts asked for, nor more than one step", () => {
    always(({ raiseTo, from, hosts, slots }, { group, tags }) => {
      if (raiseTo === undefined) return;
      const { outsideSlots = 0, slotsPerHost = 1, maxLaunchStep = Number.POSITIVE_INFINITY } = tags.fleet ?? {};
      expect(hosts).toBe(Math.ceil(Math.max((slots ?? 0) - outsideSlots, 0) / slotsPerHost));
      expect(raiseTo).toBeLessThanOrEqual(Math.max(hosts ?? 0, group.min));
      expect(raiseTo - from).toBeLessThanOrEqual(maxLaunchStep);
    });
  });

  test("a raise never takes back one of our own that the describe may not show yet", () => {
    always(({ raiseTo }, { group, lastRaise }) => {
      if (raiseTo === undefined || lastRaise === undefined || noon - lastRaise.at >= 2 * minute) return;
      expect(raiseTo).toBeGreaterThan(Math.min(lastRaise.to, group.max));
    });
  });

  test("nothing is raised that is paused, unsafe, tagged wrongly, or asked for by nobody", () => {
    always(({ raiseTo, slots }, { group, tags }) => {
      const blocked =
        tags.fleet === undefined ||
        tags.fleet.paused ||
        group.beingDeleted ||
        group.suspended.includes("Launch") ||
        !group.newInstancesProtected;
      if (blocked || slots === undefined) expect(raiseTo).toBeUndefined();
    });
  });

  test("demand that is asked for and not met stays pending", () => {
    always(({ raiseTo, hosts, pending }, { group }) => {
      if (hosts === undefined) return;
      if (Math.max(raiseTo ?? 0, group.desired) < hosts) expect(pending).toBe(true);
    });
  });

  test("deciding again after the raise was made asks for no more, but for further steps", () => {
    always((decision, observation) => {
      if (decision.raiseTo === undefined) return;
      const group = { ...observation.group, desired: decision.raiseTo };
      const again = decideRaise({ ...observation, group, lastRaise: { to: decision.raiseTo, at: noon } });
      if (observation.tags.fleet?.maxLaunchStep === undefined) expect(again.raiseTo).toBeUndefined();
      else expect(again.raiseTo ?? decision.raiseTo + 1).toBeGreaterThan(decision.raiseTo);
    });
  });

  test("there is always a reason", () => {
    always(({ reasons }) => {
      expect(reasons.join().length).toBeGreaterThan(5);
    });
  });
});
