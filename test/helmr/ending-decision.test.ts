import { expect, test } from "vitest";
import type { GroupInstance } from "../../lib/capacity/group.ts";
import type { DrainOperation, EndAttempt } from "../../lib/helmr/drain-operation.ts";
import { decideEnding, type EndingFacts } from "../../lib/helmr/ending-decision.ts";
import type { WorkerHost } from "../../lib/helmr/protocol.ts";

const doubtMs = 120_000;
const now = Date.parse("2026-10-22T00:00:00Z");
const host: WorkerHost = {
  id: "host",
  resource_id: "i-1",
  worker_group_id: "group",
  worker_pool_id: "pool",
  status: "termination_ready",
  claim_version: 3,
  created_at: "2026-10-21T00:00:00Z",
  updated_at: "2026-10-21T00:00:00Z",
  drain_blockers: {},
};

/** What is done with a drained host after this attempt, when its group shows it in this state. */
function next(lastAttempt: EndAttempt, state: GroupInstance["state"]) {
  const detail = { group: "asg", groupId: "group", poolId: "pool", hostId: "host", instance: "i-1", decrement: true };
  const operation: DrainOperation = {
    fleet: "helmr#group",
    key: "host",
    phase: "ending",
    owner: "owner",
    ownedUntil: 0,
    startedAt: now - 60_000,
    changedAt: now,
    detail: { kind: "other", ...detail, attempts: 1, lastAttempt },
  };
  const facts: EndingFacts = {
    receipt: undefined,
    host,
    drainingSince: now - 60_000,
    member: { id: "i-1", state, zone: "a", healthy: true, protected: true },
    ec2: "running",
    isAbsent: false,
    drainMs: 1_800_000,
    now,
  };
  return decideEnding(operation, facts, doubtMs);
}

const attempt = (by: EndAttempt["by"], outcome: EndAttempt["outcome"], ageMs: number): EndAttempt => ({
  by,
  at: now - ageMs,
  outcome,
});

test("an old look that shows an instance in service after its hook was answered permits no second terminate", () => {
  expect(next(attempt("hook", "accepted", 2_000), "InService").do).toBe("wait");
  expect(next(attempt("hook", "refused", 30_000), "InService").do).toBe("wait");
  expect(next(attempt("hook", "accepted", doubtMs), "InService")).toEqual({ do: "end", by: "terminate" });
});

test("the hook in which a terminated instance waits is answered at once", () => {
  expect(next(attempt("terminate", "accepted", 1_000), "Terminating:Wait")).toEqual({ do: "end", by: "hook" });
});

test("a terminate that was refused is tried again sooner than one in doubt", () => {
  expect(next(attempt("terminate", "refused", 20_000), "InService")).toEqual({ do: "end", by: "terminate" });
  expect(next(attempt("terminate", "unknown", 20_000), "InService").do).toBe("wait");
});
