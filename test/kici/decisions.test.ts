import { describe, expect, test } from "vitest";
import type { Instance } from "../../lib/capacity/instances.ts";
import type { AgentRecord } from "../../lib/kici/agent-record.ts";
import type { Attempt } from "../../lib/kici/attempt.ts";
import { clientToken } from "../../lib/kici/attempt.ts";
import { decideInstance, decideLooked, decidePlace } from "../../lib/kici/reap-decision.ts";
import { decideScaleUp } from "../../lib/kici/scale-up-decision.ts";

const now = Date.UTC(2026, 8, 5, 12);
const lagMs = 600_000;
const attempt = { number: 2, token: "t", at: now - 60_000 } as Attempt;
const held = { owner: "o", fence: 1, until: now + 1 };
const over = { owner: "o", fence: 1, until: now };
const withdrawn = { at: now, reason: "shutdown" };

describe("a scale-up", () => {
  const step = (record: AgentRecord | undefined) => decideScaleUp(record, "c", now);

  test("of an unknown agent begins the first attempt", () =>
    expect(step(undefined)).toEqual({ step: "begin", number: 1 }));

  test("after a scale-down is withdrawn, whatever else is known and whatever its claim code", () => {
    for (const phase of ["launching", "launched", "failed", "ended"] as const) {
      for (const claim of ["c", "other"]) {
        expect(step({ phase, claim, attempt, lease: held, withdrawn })).toMatchObject({ status: "withdrawn" });
      }
    }
  });

  test("with another claim code is refused in every phase", () => {
    for (const phase of ["launching", "launched", "failed", "ended"] as const) {
      expect(step({ phase, claim: "other", attempt })).toEqual({ step: "refuse-claim" });
    }
  });

  test("waits for a driver's lease to the millisecond, and takes over after it", () => {
    expect(step({ phase: "launching", claim: "c", attempt, lease: held })).toEqual({ step: "wait", until: now + 1 });
    expect(step({ phase: "launching", claim: "c", attempt, lease: over })).toEqual({ step: "resume" });
  });

  test("of an attempt that failed begins the next", () => {
    expect(step({ phase: "failed", claim: "c", attempt })).toEqual({ step: "begin", number: 3 });
  });

  test("of a launched agent names its instance, adopted ones too, and of one that ended says that it is absent", () => {
    expect(step({ phase: "launched", instanceId: "i-1" })).toEqual({
      step: "answer",
      status: "exists",
      instanceId: "i-1",
    });
    expect(step({ phase: "ended", claim: "c", instanceId: "i-1" })).toMatchObject({ status: "absent" });
  });
});

describe("an instance that lives", () => {
  const instance: Instance = { id: "i-1", state: "running", tags: {}, architecture: "x86_64", launchedAt: now };
  const launched: AgentRecord = { phase: "launched", instanceId: "i-1" };
  const fate = (record: AgentRecord | undefined, expiry: number | undefined = now + 1, state = instance.state) =>
    decideInstance({ ...instance, state }, record, expiry, now);

  test("and is its agent's is left alone until the moment that its tag names", () => {
    expect(fate(launched)).toEqual({ fate: "leave" });
    expect(fate(launched, now)).toEqual({ fate: "end", reason: "expired" });
  });

  test("is ended when its agent is withdrawn, expiry or not", () => {
    expect(decideInstance(instance, { ...launched, withdrawn }, undefined, now)).toEqual({
      fate: "end",
      reason: "withdrawn",
    });
  });

  test("and is stopped is ended; one that only stops is not yet", () => {
    expect(fate(launched, now + 1, "stopped")).toEqual({ fate: "end", reason: "stopped" });
    expect(fate(launched, now + 1, "stopping")).toEqual({ fate: "leave" });
  });

  test("is adopted where the ledger knows no instance and nobody drives the attempt", () => {
    expect(fate(undefined)).toEqual({ fate: "adopt" });
    expect(fate({ phase: "launching", attempt, lease: over })).toEqual({ fate: "adopt" });
    expect(fate({ phase: "launching", attempt, lease: held })).toEqual({ fate: "leave" });
    expect(fate({ phase: "failed", attempt })).toEqual({ fate: "adopt" });
  });

  test("and is a second one of its agent is reported, and ended by nothing but its own proofs", () => {
    expect(fate({ phase: "launched", instanceId: "i-2" })).toEqual({ fate: "leave", finding: "second_instance" });
    expect(fate({ phase: "launched", instanceId: "i-2" }, now)).toMatchObject({ fate: "end" });
  });

  test("by a list older than its recorded end stays ended", () => {
    expect(fate({ phase: "ended", instanceId: "i-1" })).toEqual({ fate: "leave" });
    expect(fate({ phase: "ended", instanceId: "i-2" })).toEqual({ fate: "adopt" });
  });
});

describe("a place without an instance", () => {
  const fate = (record: AgentRecord | undefined, since = now - lagMs) =>
    decidePlace({ name: "a", since }, record, now, lagMs);

  test("is freed where nothing can run, once it is older than any lag", () => {
    for (const record of [undefined, { phase: "failed" }, { phase: "ended" }] as const) {
      expect(fate(record)).toBe("free");
      expect(fate(record, now - lagMs + 1)).toBe("keep");
    }
  });

  test("of an open attempt is kept until nothing of it could still appear", () => {
    const open: AgentRecord = { phase: "launching", attempt: { ...attempt, at: now - lagMs } };
    expect(fate(open)).toBe("conclude");
    expect(fate({ ...open, lease: { ...over, until: now - lagMs + 1 } })).toBe("keep");
    expect(fate({ ...open, unsureAt: now - lagMs + 1 })).toBe("keep");
  });

  test("of a recorded instance leads to a look by its id", () => {
    expect(fate({ phase: "launched", instanceId: "i-1", launchedAt: now - lagMs })).toBe("look");
    expect(fate({ phase: "launched", instanceId: "i-1", launchedAt: now - lagMs + 1 })).toBe("keep");
    expect(fate({ phase: "launched", instanceId: "i-1", launchedAt: now, withdrawn })).toBe("look");
  });

  test("is gone when EC2 shows its end, or has forgotten an id that is old enough", () => {
    const record: AgentRecord = { phase: "launched", instanceId: "i-1", launchedAt: now - lagMs };
    const shown = (state: Instance["state"]): Instance => ({
      id: "i-1",
      state,
      tags: {},
      architecture: "",
      launchedAt: now,
    });
    const looked = (instance: Instance | undefined, at = now) => decideLooked(record, instance, at, lagMs);
    expect(looked(shown("terminated"))).toBe("gone");
    expect(looked(shown("shutting-down"))).toBe("gone");
    expect(looked(shown("running"))).toBe("alive");
    expect(looked(shown("unknown"))).toBe("alive");
    expect(looked(undefined)).toBe("gone");
    expect(looked(undefined, now - 1)).toBe("unsure");
  });
});

test("a token changes with stack, scaler, agent, attempt and offering, and with nothing else", () => {
  const offering = { instanceType: "m7i.large", subnet: "subnet-1" };
  const name = { scaler: "s", agent: "a" };
  const tokens = [
    clientToken("x", name, 1, offering),
    clientToken("y", name, 1, offering),
    clientToken("x", { ...name, scaler: "s2" }, 1, offering),
    clientToken("x", { ...name, agent: "a2" }, 1, offering),
    clientToken("x", name, 2, offering),
    clientToken("x", name, 1, { ...offering, subnet: "subnet-2" }),
    clientToken("x", name, 1, { ...offering, instanceType: "c7i.large" }),
    // The same letters, parted elsewhere.
    clientToken("x", { scaler: "sa", agent: "" }, 1, offering),
    clientToken("x", { scaler: "", agent: "sa" }, 1, offering),
  ];
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(clientToken("x", { ...name }, 1, { ...offering })).toBe(tokens[0]);
});
