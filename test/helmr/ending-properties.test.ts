import fc from "fast-check";
import { expect, test } from "vitest";
import { lifecycleStates } from "../../lib/capacity/group.ts";
import type { DrainOperation } from "../../lib/helmr/drain-operation.ts";
import { decideEnding } from "../../lib/helmr/ending-decision.ts";
import { receiptPhases, type WorkerHost } from "../../lib/helmr/protocol.ts";
import { hostRow, noon } from "./observed.ts";

const hostStatus = fc.constantFrom<WorkerHost["status"]>(
  "registering",
  "active",
  "draining",
  "termination_ready",
  "lost",
  "unknown",
);
const ec2State = fc.constantFrom("pending", "running", "shutting-down", "terminated", "stopped", "unknown", undefined);

test("an operation ends its instance only when host and receipt both call it ready, and reports only an absence", () => {
  const facts = fc.record({
    phase: fc.constantFrom("intended", "draining", "ending", "settling" as const),
    kind: fc.constantFrom("scale_in", "other" as const),
    receipt: fc.option(fc.constantFrom(...receiptPhases, "unknown" as const), { nil: undefined }),
    status: fc.option(hostStatus, { nil: undefined }),
    state: fc.option(fc.constantFrom(...lifecycleStates, "unknown" as const), { nil: undefined }),
    ec2: ec2State,
    isAbsent: fc.boolean(),
    ageMs: fc.nat({ max: 10 * 3_600_000 }),
    lastAt: fc.option(fc.nat({ max: 300_000 }), { nil: undefined }),
    outcome: fc.constantFrom("sent", "accepted", "refused", "unknown" as const),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const lastAttempt =
        given.lastAt === undefined
          ? {}
          : { lastAttempt: { by: "terminate" as const, at: noon - given.lastAt, outcome: given.outcome } };
      const operation = {
        key: "key",
        fleet: "helmr#default",
        phase: given.phase as DrainOperation["phase"],
        owner: "",
        ownedUntil: 0,
        startedAt: noon - given.ageMs,
        changedAt: noon - given.ageMs,
        detail: {
          kind: given.kind as "other",
          group: "asg",
          groupId: "g",
          poolId: "p",
          hostId: "h",
          instance: "i",
          decrement: true,
          attempts: 1,
          ...lastAttempt,
        },
      };
      const step = decideEnding(
        operation,
        {
          receipt: given.receipt === undefined ? undefined : { operation_key: "key", phase: given.receipt },
          host: given.status === undefined ? undefined : hostRow("p", "i", { status: given.status }),
          member:
            given.state === undefined
              ? undefined
              : { id: "i", state: given.state, zone: "a", healthy: true, protected: true },
          ec2: given.ec2,
          isAbsent: given.isAbsent,
          drainingSince: undefined,
          drainMs: 1_800_000,
          now: noon,
        },
        120_000,
      );
      if (step.do === "report") expect(given.isAbsent).toBe(true);
      if (step.do === "finish") expect(given.kind === "other" || given.receipt === "completed").toBe(true);
      if (step.do !== "end") return;
      expect(given.status).toBe("termination_ready");
      if (given.kind === "scale_in") expect(given.receipt).toBe("termination_ready");
      if (step.by === "hook") expect(given.state).toBe("Terminating:Wait");
      // A terminate that may still land is not repeated before its doubt is over (cases.md 43).
      if (step.by === "terminate" && given.lastAt !== undefined && given.outcome !== "refused") {
        expect(given.lastAt).toBeGreaterThanOrEqual(120_000);
      }
    }),
    { numRuns: 5_000 },
  );
});
