import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHeld, type Lease, release, take } from "../../lib/ledger/lease.ts";

const owners = ["anna", "ben", "carl"] as const;
type Owner = (typeof owners)[number];

type Step =
  | { readonly do: "take"; readonly owner: Owner; readonly forMs: number }
  | { readonly do: "release"; readonly owner: Owner }
  | { readonly do: "wait"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("take" as const),
    owner: fc.constantFrom(...owners),
    forMs: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({ do: fc.constant("release" as const), owner: fc.constantFrom(...owners) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 60 }) }),
);

interface Moment {
  readonly now: number;
  readonly stored: Lease | undefined;
  /** What each owner was last given and has not let go of: it may act on it until it runs out. */
  readonly given: ReadonlyMap<Owner, Lease>;
}

/** Plays steps one after another, as the ledger's versioned writes make them happen, and shows each moment. */
function play(steps: readonly Step[]): Moment[] {
  let now = 1_000;
  let stored: Lease | undefined;
  const given = new Map<Owner, Lease>();
  return steps.map((next) => {
    if (next.do === "wait") now += next.ms;
    if (next.do === "take") {
      const lease = take(stored, next.owner, now, next.forMs);
      if (lease !== undefined) {
        stored = lease;
        given.set(next.owner, lease);
      }
    }
    if (next.do === "release" && stored?.owner === next.owner) {
      stored = release(stored);
      given.delete(next.owner);
    }
    return { now, stored, given: new Map(given) };
  });
}

describe("a lease, whatever the order of takes, releases, waits and renewals", () => {
  test("never has two owners at one time", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        for (const { now, given } of play(steps)) {
          const holders = [...given.values()].filter((lease) => isHeld(lease, now));
          expect(holders.length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test("gets a higher fence with every new holder, and never a lower one", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let last: Lease | undefined;
        for (const { stored } of play(steps)) {
          if (stored === undefined) continue;
          if (last !== undefined && stored.owner === last.owner) expect(stored.fence).toBe(last.fence);
          if (last !== undefined && stored.owner !== last.owner) expect(stored.fence).toBeGreaterThan(last.fence);
          last = stored;
        }
      }),
    );
  });

  test("can always be taken once it was released or has run out", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(...owners), (steps, owner) => {
        const last = play(steps).at(-1);
        if (last === undefined) return;
        const { stored, now } = last;
        if (stored !== undefined) {
          expect(take(release(stored), owner, now, 1)).toBeDefined();
          expect(take(stored, owner, stored.until, 1)).toBeDefined();
        }
      }),
    );
  });
});

test("a lease ends at its last millisecond, for its holder and for the next one alike", () => {
  const lease = take(undefined, "anna", 100, 50);
  expect(lease).toEqual({ owner: "anna", fence: 1, until: 150 });
  expect(isHeld(lease, 149)).toBe(true);
  expect(take(lease, "ben", 149, 50)).toBeUndefined();
  expect(isHeld(lease, 150)).toBe(false);
  expect(take(lease, "ben", 150, 50)).toEqual({ owner: "ben", fence: 2, until: 200 });
});

test("taking one's own lease again renews it under the same fence", () => {
  const lease = take(undefined, "anna", 100, 50);
  expect(take(lease, "anna", 120, 50)).toEqual({ owner: "anna", fence: 1, until: 170 });
});
