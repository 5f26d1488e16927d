import { expect, test } from "vitest";
import type { LifecycleHook } from "../../lib/capacity/hooks.ts";
import type { Host } from "../../lib/zoomies/api.ts";
import type { InstanceNotes } from "../../lib/zoomies/host-notes.ts";
import { decideLaunch } from "../../lib/zoomies/launch-decision.ts";
import { minute, noon } from "./made-readings.ts";

const hook: LifecycleHook = {
  name: "joined",
  transition: "launching",
  heartbeatSeconds: 1_200,
  defaultResult: "CONTINUE",
};
const settings = { freshMs: 15 * minute, schedulerIntervalMs: 10_000, joinDeadlineMs: 10 * minute };
const instance = { id: "i-1", state: "Pending:Wait", zone: "a", healthy: true, protected: true } as const;

function kindOf(notes: Partial<InstanceNotes>, host?: Partial<Host>, sawZoomies = true): string | undefined {
  const pair = { instance, host: host as Host | undefined, oddity: undefined, runners: [] };
  return decideLaunch(pair, { seenAt: noon - 10 * minute, ...notes }, hook, sawZoomies, noon, settings).action?.kind;
}

test("a launch is abandoned at the join deadline, and only where no host was ever seen", () => {
  expect(kindOf({})).toBe("abandon-launch");
  expect(kindOf({ seenAt: noon - 10 * minute + 1 })).toBe("heartbeat");
  expect(kindOf({ hostId: "host-1" })).toBeUndefined();
  expect(kindOf({}, { healthy: false })).toBeUndefined();
  expect(kindOf({}, undefined, false)).toBe("heartbeat");
});

test("an answer is given again only after a while, and a heartbeat after a third of the timeout", () => {
  expect(kindOf({ answeredAt: noon - 30_000 })).toBeUndefined();
  expect(kindOf({ answeredAt: noon - 30_001 })).toBe("abandon-launch");
  expect(kindOf({}, { healthy: true })).toBe("complete-launch");
  expect(kindOf({ answeredAt: noon }, { healthy: true })).toBeUndefined();
  expect(kindOf({ seenAt: noon - 6 * minute })).toBeUndefined();
  expect(kindOf({ seenAt: noon - 7 * minute })).toBe("heartbeat");
  expect(kindOf({ seenAt: noon - 9 * minute, heartbeatAt: noon - minute })).toBeUndefined();
});
