import { describe, expect, test } from "vitest";
import { type ZoomiesFleet, zoomiesFleet } from "../../lib/capacity/group-fleet.ts";
import { chooseCandidates } from "../../lib/zoomies/candidate-decision.ts";
import type { Drain, InstanceNotes } from "../../lib/zoomies/host-notes.ts";
import type { Pair } from "../../lib/zoomies/host-pairs.ts";
import { makeGroup } from "./made-groups.ts";
import { minute, noon } from "./made-readings.ts";

function fleetOf(tags: Record<string, string> = {}): ZoomiesFleet {
  const { fleet } = zoomiesFleet(makeGroup({ tags: { "drover:max-drains": "9", ...tags } }));
  if (fleet === undefined) throw new Error("The tags are wrong.");
  return fleet;
}

/** Idle hosts of 4 slots; host 0 is the oldest. */
const idle = (count: number, capacity = 4): Pair[] =>
  Array.from({ length: count }, (_, index) => ({
    instance: { id: `i-${index}`, state: "InService", zone: "a", healthy: true, protected: true },
    host: {
      id: `host-${index}`,
      name: `i-${index}`,
      embedded: false,
      capacity,
      active_runners: 0,
      backends: ["docker"],
      labels: {},
      os: undefined,
      arch: undefined,
      cordoned: false,
      healthy: true,
      incompatible: false,
      created_at: "2026-09-05T10:00:00Z",
    },
    oddity: undefined,
    runners: [],
  }));

const drain: Drain = { key: "k", phase: "cordoned", hostId: "", startedAt: 0, changedAt: 0 };

function chosen(
  pairs: readonly Pair[],
  more: { needed?: number; min?: number; tags?: Record<string, string>; draining?: readonly string[] } = {},
): readonly string[] {
  const { needed = 0, min = 0, tags, draining = [] } = more;
  const notes = new Map<string, InstanceNotes>(
    pairs.map(({ instance }, index) => [
      instance.id,
      {
        seenAt: index,
        idleSince: noon - 10 * minute,
        ...(draining.includes(instance.id) ? { drain } : {}),
      },
    ]),
  );
  const room = { fleet: fleetOf(tags), now: noon, min, desired: pairs.length, neededSlots: needed };
  return chooseCandidates(pairs, notes, room).chosen.map(({ instance }) => instance.id);
}

describe("candidates", () => {
  test("are the newest first", () => {
    expect(chosen(idle(3), { tags: { "drover:max-drains": "2" } })).toEqual(["i-2", "i-1"]);
  });

  test("leave what is needed, to the slot (cases.md 39)", () => {
    expect(chosen(idle(3), { needed: 8 })).toEqual(["i-2"]);
    expect(chosen(idle(3), { needed: 9 })).toEqual([]);
    expect(chosen(idle(3), { needed: 9, tags: { "drover:outside-slots": "1" } })).toEqual(["i-2"]);
    expect(chosen(idle(32), { needed: 128 })).toEqual([]);
  });

  test("never take desired capacity below MinSize, drains under way counted (cases.md 43)", () => {
    expect(chosen(idle(4), { min: 2 })).toEqual(["i-3", "i-2"]);
    expect(chosen(idle(4), { min: 2, draining: ["i-3"] })).toEqual(["i-2"]);
    expect(chosen(idle(4), { min: 2, draining: ["i-3", "i-2"] })).toEqual([]);
  });

  test("are no more at once than the tag allows, and hosts under way stand for no slots (cases.md 46)", () => {
    const tags = { "drover:max-drains": "2" };
    expect(chosen(idle(4), { tags, draining: ["i-3"] })).toEqual(["i-2"]);
    expect(chosen(idle(4), { tags, draining: ["i-3", "i-2"] })).toEqual([]);
    expect(chosen(idle(4), { needed: 12, draining: ["i-3"] })).toEqual([]);
  });

  test.each<[string, Partial<Pair["host"]>]>([
    ["cordoned", { cordoned: true }],
    ["unhealthy", { healthy: false }],
    ["incompatible", { incompatible: true }],
    ["of another backend", { backends: ["podman"] }],
    ["miscounted", { active_runners: 1 }],
  ])("are not hosts that are %s", (_, change) => {
    const [first, ...rest] = idle(2);
    if (first?.host === undefined) throw new Error("no host");
    expect(chosen([{ ...first, host: { ...first.host, ...change } }, ...rest])).toEqual(["i-1"]);
  });

  test("are only instances in service that were idle for as long as the tag says", () => {
    const [first, ...rest] = idle(2);
    if (first === undefined) throw new Error("no host");
    const pending = { ...first, instance: { ...first.instance, state: "Pending:Proceed" as const } };
    expect(chosen([pending, ...rest])).toEqual(["i-1"]);
    expect(chosen(idle(2), { tags: { "drover:idle-minutes": "11" } })).toEqual([]);
  });
});
