import { describe, expect, test } from "vitest";
import type { Host, Runner, RunnerState } from "../../lib/zoomies/api.ts";
import { type DrainCircumstances, decideDrain } from "../../lib/zoomies/drain-decision.ts";
import type { Drain, InstanceNotes } from "../../lib/zoomies/host-notes.ts";
import type { Pair } from "../../lib/zoomies/host-pairs.ts";
import { minute, noon } from "./made-readings.ts";

const second = 1_000;

function pairOf(more: Partial<Host> = {}, states: readonly RunnerState[] = []): Pair {
  const runners = states.map((state, index): Runner => ({ id: `r-${index}`, pool_id: "a", host_id: "host-1", state }));
  const host: Host = {
    id: "host-1",
    name: "i-1",
    embedded: false,
    capacity: 4,
    active_runners: runners.length,
    backends: ["docker"],
    labels: {},
    os: undefined,
    arch: undefined,
    cordoned: true,
    healthy: true,
    incompatible: false,
    created_at: "2026-09-05T10:00:00Z",
    ...more,
  };
  const instance = { id: "i-1", state: "InService", zone: "a", healthy: true, protected: true } as const;
  return { instance, host, oddity: undefined, runners };
}

const begun: Drain = {
  key: "i-1#0",
  phase: "cordoning",
  hostId: "host-1",
  startedAt: noon - 5 * minute,
  changedAt: noon - 5 * minute,
};
const cordoned: Drain = { ...begun, phase: "cordoned", cordonedAt: noon - 2 * minute, changedAt: noon - 2 * minute };
const empty: Drain = { ...cordoned, phase: "empty", emptyAt: noon - minute, changedAt: noon - minute };
const terminating: Drain = { ...empty, phase: "terminating", changedAt: noon - 2 * minute };

const usual: DrainCircumstances = {
  now: noon,
  lookedAt: noon - second,
  giveUp: undefined,
  isSafe: true,
  schedulerIntervalMs: 10 * second,
  drainMs: 30 * minute,
};

function step(drain: Drain, pair = pairOf(), more: Partial<DrainCircumstances> = {}) {
  const notes: InstanceNotes = { seenAt: 0, hostId: "host-1", idleSince: 0, drain };
  const decided = decideDrain(pair, notes, drain, { ...usual, ...more });
  return {
    phase: decided.notes.drain?.phase,
    kinds: decided.actions.map(({ kind }) => kind),
    outcome: decided.ended?.outcome,
    notes: decided.notes,
  };
}

describe("a drain goes on", () => {
  test("from an intent to a cordon that is seen, and cordons again where it is not", () => {
    expect(step(begun)).toMatchObject({ phase: "cordoned", kinds: [] });
    expect(step(begun, pairOf({ cordoned: false }))).toMatchObject({ phase: "cordoning", kinds: ["cordon"] });
  });

  test("to empty only at a look that is two scheduler intervals later than the cordon", () => {
    const late = { ...cordoned, cordonedAt: noon - 21 * second, changedAt: noon - 21 * second };
    expect(step(late)).toMatchObject({ phase: "empty", kinds: [] });
    const early = { ...cordoned, cordonedAt: noon - 20 * second, changedAt: noon - 20 * second };
    expect(step(early)).toMatchObject({ phase: "cordoned", kinds: [] });
  });

  test("to its end only at a second look, 30 s after the first", () => {
    expect(step({ ...empty, emptyAt: noon - 31 * second })).toMatchObject({
      phase: "terminating",
      kinds: ["terminate"],
    });
    expect(step({ ...empty, emptyAt: noon - 30 * second })).toMatchObject({ phase: "empty", kinds: [] });
  });

  test("back from empty when there are runners again, and asks the idle ones to go", () => {
    const again = step(empty, pairOf({}, ["idle", "provisioning"]));
    expect(again).toMatchObject({ phase: "cordoned", kinds: ["drain"] });
    expect(again.notes.drain?.emptyAt).toBeUndefined();
  });

  test.each<[string, Pair]>([
    ["a runner only in the host's own count", pairOf({ active_runners: 1 })],
    ["a runner only in the list", { ...pairOf({}, ["draining"]), host: pairOf().host }],
    ["an unhealthy host", pairOf({ healthy: false })],
    ["an incompatible host", pairOf({ incompatible: true })],
  ])("nowhere with %s", (_, pair) => {
    expect(step(empty, pair)).toMatchObject({ phase: "cordoned", kinds: [] });
  });

  test("by no look that is older than its phase, and by none that did not see Zoomies whole", () => {
    for (const drain of [begun, cordoned, empty, terminating]) {
      const stale = step({ ...drain, changedAt: noon - second });
      expect(stale).toMatchObject({ phase: drain.phase, kinds: [], outcome: undefined });
      const blind = step(drain, pairOf({}, ["busy"]), { lookedAt: undefined, giveUp: "demand" });
      expect(blind).toMatchObject({ phase: drain.phase, kinds: [], outcome: undefined });
    }
  });

  test("to no end while the group is not known to be safe to shrink", () => {
    expect(step(empty, pairOf(), { isSafe: false })).toMatchObject({ phase: "empty", kinds: [] });
    expect(step(terminating, pairOf(), { isSafe: false })).toMatchObject({ phase: "terminating", kinds: [] });
  });
});

describe("a drain turns back", () => {
  test.each<[string, Pair, Partial<DrainCircumstances>, string]>([
    ["for newer demand", pairOf(), { giveUp: "demand" }, "cancelled"],
    ["for a busy runner", pairOf({}, ["busy"]), {}, "cancelled"],
    ["from a host that was renamed", { ...pairOf(), oddity: "its host was renamed" }, {}, "cancelled"],
    ["at its deadline", pairOf(), { now: noon + 26 * minute, lookedAt: noon + 25 * minute }, "stalled"],
  ])("%s, and uncordons until the host is seen uncordoned", (_, pair, more, outcome) => {
    for (const drain of [begun, cordoned, empty]) {
      const back = step(drain, pair, more);
      expect(back).toMatchObject({ phase: "uncordoning", kinds: ["uncordon"], outcome: undefined });
      const still = back.notes.drain ?? begun;
      const later = { now: noon + 40 * minute, lookedAt: noon + 39 * minute };
      expect(step(still, pairOf(), later)).toMatchObject({ phase: "uncordoning", kinds: ["uncordon"] });
      const over = step(still, pairOf({ cordoned: false }), later);
      expect(over).toMatchObject({ phase: undefined, kinds: [], outcome });
      expect(over.notes.idleSince).toBe(later.now);
    }
  });

  test("without a call where somebody uncordoned the host, or another host has its name", () => {
    expect(step(cordoned, pairOf({ cordoned: false }))).toMatchObject({ kinds: [], outcome: "cancelled" });
    expect(step(cordoned, pairOf({ id: "host-2" }))).toMatchObject({ kinds: [], outcome: "cancelled" });
    expect(step(cordoned, { ...pairOf(), host: undefined })).toMatchObject({ kinds: [], outcome: "cancelled" });
  });
});

describe("once the terminate may have gone out", () => {
  test("there is no way back for demand, and the call is repeated only after a minute, on the same proof", () => {
    expect(step(terminating, pairOf(), { giveUp: "demand" })).toMatchObject({ kinds: ["terminate"] });
    const young = { ...terminating, changedAt: noon - 59 * second };
    expect(step(young)).toMatchObject({ phase: "terminating", kinds: [] });
    for (const pair of [pairOf({ cordoned: false }), pairOf({}, ["busy"]), pairOf({ healthy: false })]) {
      expect(step(terminating, pair)).toMatchObject({ phase: "terminating", kinds: [] });
    }
  });

  test("a host that cannot be ended is given back at its deadline, stalled", () => {
    const later = { now: noon + 30 * minute, lookedAt: noon + 29 * minute };
    const back = step(terminating, pairOf({}, ["busy"]), later);
    expect(back).toMatchObject({ phase: "uncordoning", kinds: ["uncordon"] });
    expect(back.notes.drain?.back?.outcome).toBe("stalled");
  });
});
