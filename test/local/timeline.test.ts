import { expect, test } from "vitest";
import { cloudEntry, functionEntry, timeline } from "../../infra/local/timeline.ts";

const log = (fields: object) => functionEntry(JSON.stringify({ level: "info", correlationId: "c", ...fields }))?.text;

test("an event, the decision with its reason, and a refusal become sentences", () => {
  expect(log({ message: "event", type: "capacity_demand", poolId: "p", capacity: 8, required: 3 })).toBe(
    "received capacity demand for p: 8 slots + 3 = target 11",
  );
  const raise = {
    message: "decision",
    fleet: "linux",
    from: 0,
    to: 3,
    reasons: ["11 slots wanted"],
    outcome: "accepted",
  };
  expect(log(raise)).toBe("decided to raise linux from 0 to 3 hosts: 11 slots wanted");
  expect(log({ ...raise, to: 0, reasons: ["paused"], outcome: "none" })).toBe("decided to leave linux at 0: paused");
  expect(log({ ...raise, outcome: "refused: Throttling" })).toContain("[refused: Throttling]");
  expect(log({ message: "refused", status: 404, code: "pool_not_served", detail: "Tag it." })).toBe(
    "refused with 404 pool_not_served: Tag it.",
  );
});

test("a decision that is told in words stays in its words", () => {
  const fields = { message: "decision", fleet: "helmr-general", decided: "raise desired capacity to 3: 3 recommended" };
  expect(log(fields)).toBe("helmr-general: raise desired capacity to 3: 3 recommended");
});

test("warnings and errors are never left out, metrics and quiet runs are", () => {
  expect(log({ level: "error", message: "finding", tag: "t" })).toBe('error: finding {"tag":"t"}');
  const finding = { level: "error", message: "finding", code: "missing_tag", detail: "It is missing.", fix: "Set it." };
  expect(log(finding)).toBe('error: finding: It is missing. Set it. {"code":"missing_tag"}');
  expect(log({ message: "run", settled: 0, groups: 2 })).toBeUndefined();
  expect(functionEntry('{"_aws":{},"Launches":1}')).toBeUndefined();
  expect(functionEntry("plain words")?.text).toBe("plain words");
});

test("the group's change, the boot and the service of a host are told; the steps between are not", () => {
  const at = 0;
  const change = { at, type: "desired-capacity", group: "g", from: 1, to: 2, actor: "a", operation: "o" } as const;
  expect(cloudEntry(change)).toEqual({ source: "group", text: "g: desired capacity 1 -> 2" });
  const boot = { at, type: "instance-state", instanceId: "i-1", group: "g", reason: "r" } as const;
  expect(cloudEntry({ ...boot, to: "pending" })?.text).toBe("i-1 is booting for g");
  expect(cloudEntry({ ...boot, to: "running" })).toBeUndefined();
  const member = { at, type: "member-state", group: "g", instanceId: "i-1", actor: "a", reason: "r" } as const;
  expect(cloudEntry({ ...member, to: "InService" })?.text).toBe("g: i-1 is in service");
  expect(cloudEntry({ ...member, to: "Pending" })).toBeUndefined();
});

test("a line has its time and its source; what every minute run repeats is told once until something else happens", () => {
  const printed: string[] = [];
  const lines = timeline((line) => printed.push(line), { now: () => Date.now() });
  const leave = functionEntry(
    '{"message":"decision","fleet":"g","from":1,"to":1,"reasons":["paused"],"outcome":"none"}',
  );
  const event = { source: "zoomies", text: "event" } as const;
  for (const entry of [leave, leave, event, event, leave]) lines.add(entry);
  const told = "  drover   decided to leave g at 1: paused";
  expect(printed.map((line) => line.slice(8))).toEqual([told, "  zoomies  event", "  zoomies  event", told]);
  expect(printed[0]).toMatch(/^\d\d:\d\d:\d\d {2}/);
});
