import { expect, test } from "vitest";
import type { DrainPhase, InstanceNotes } from "../../lib/zoomies/host-notes.ts";
import { decideInterruptions } from "../../lib/zoomies/interruption-decision.ts";
import { without } from "../../lib/zoomies/interruption-marks.ts";
import { makeGroup } from "./made-groups.ts";

const minute = 60_000;
const at = 1_000 * minute;
const mark = { hostId: "host-1", at, kind: "rebalance-recommendation" };
const cordoned = [{ id: "host-1", cordoned: true }];
const uncordoned = [{ id: "host-1", cordoned: false }];
const member = { id: "i-1", state: "InService", zone: "a", healthy: true, protected: true } as const;
const none = { instances: {} };
const draining = (phase: DrainPhase): { instances: Record<string, InstanceNotes> } => ({
  instances: { "i-1": { seenAt: 0, drain: { key: "k", phase, hostId: "host-1", startedAt: at, changedAt: at } } },
});

function decide({
  hosts = cordoned,
  notes = none as Parameters<typeof decideInterruptions>[3],
  minutes = 15,
  there = true,
}) {
  const group = makeGroup({ name: "linux", instances: there ? [member] : [] });
  return decideInterruptions({ "i-1": mark }, group, hosts, notes, at + minutes * minute);
}

const giveBack = { giveBack: [{ instance: "i-1", hostId: "host-1" }], forget: [] };
const forget = { giveBack: [], forget: ["i-1"] };
const wait = { giveBack: [], forget: [] };

test("a host is given back when its instance is still in service after a quarter of an hour, and not before", () => {
  expect(decide({ minutes: 14.9 })).toEqual(wait);
  expect(decide({ minutes: 15 })).toEqual(giveBack);
});

test("a host that a drain of ours goes on with stays with the drain; one that the drain gives back is given back", () => {
  for (const phase of ["cordoning", "cordoned", "empty", "terminating", "terminated"] as const) {
    expect(decide({ notes: draining(phase) }), phase).toEqual(forget);
    expect(decide({ notes: draining(phase), minutes: 5 }), phase).toEqual(wait);
  }
  expect(decide({ notes: draining("uncordoning") })).toEqual(giveBack);
});

test("a mark is over when its instance or host is gone, or somebody uncordoned the host; a moment is not long enough to say so", () => {
  for (const over of [{ there: false }, { hosts: [] }, { hosts: uncordoned }]) {
    expect(decide({ ...over, minutes: 0.5 })).toEqual(wait);
    expect(decide({ ...over, minutes: 1 })).toEqual(forget);
  }
});

test("a mark that a newer notice wrote over is not forgotten with the one that was read", () => {
  const read = { "i-1": mark, "i-2": mark };
  const now = { ...read, "i-1": { ...mark, at: at + 1, kind: "spot-interruption" } };
  expect(without(now, read, ["i-1", "i-2"])).toEqual({ "i-1": now["i-1"] });
});
