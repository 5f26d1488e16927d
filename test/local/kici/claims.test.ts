import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { agentStart, whyNoStart } from "../../../infra/local/kici/agent-start.ts";
import { type Claimed, type Claims, claims } from "../../../infra/local/kici/claims.ts";
import { userData } from "../../../lib/kici/user-data.ts";

const claim = { agentId: "agent-1", labels: ["default", "kici:agent:event"] };
let clock: ManualClock;
let codes: Claims;
beforeEach(() => {
  clock = new ManualClock(1_000_000);
  codes = claims(clock, "wss://ci.example.com/ws", 600_000);
});

test("a code is redeemed once, for a token that is bound to its agent and labels", () => {
  const code = codes.mint(claim, 300_000);
  expect(code).toMatch(/^[0-9a-f]{64}$/);
  const { agentToken, ...rest } = codes.redeem(code) as Claimed;
  expect(rest).toEqual({ ...claim, orchestratorUrl: "wss://ci.example.com/ws" });
  expect(codes.redeem(code)).toEqual({ error: "claim code already consumed" });
  expect(codes.allows(agentToken, claim)).toBeUndefined();
  expect(codes.allows(agentToken, { ...claim, labels: [...claim.labels, "gpu"] })).toBe(
    "labels exceed token-bound scope",
  );
  expect(codes.allows(agentToken, { ...claim, agentId: "agent-2" })).toBe("unknown token");
  clock.advance(600_000);
  expect(codes.allows(agentToken, claim)).toBe("unknown token");
});

test("a code ends with its time, is remembered for an hour, and is unknown after that or after a teardown", () => {
  const [first, second] = [codes.mint(claim, 300_000), codes.mint({ ...claim, agentId: "agent-2" }, 300_000)];
  codes.invalidate("agent-2");
  expect(codes.redeem(second)).toEqual({ error: "invalid claim code" });
  clock.advance(300_000);
  expect(codes.redeem(first)).toEqual({ error: "claim code expired" });
  clock.advance(3_600_000);
  expect(codes.redeem(first)).toEqual({ error: "invalid claim code" });
});

const built = (extra = "") =>
  Buffer.from(
    userData({
      ...claim,
      orchestratorUrl: "wss://ci.example.com/ws",
      claimCode: `code${extra}`,
      image: "quay.io/kici-dev/kici-agent:0.16.0",
      lifetimeMinutes: 90,
    }),
  ).toString("base64");

test("an instance does what its user data says", () => {
  const start = agentStart(built());
  expect(start).toEqual({
    environment: {
      KICI_ORCHESTRATOR_URL: "wss://ci.example.com/ws",
      KICI_SCALER_CLAIM_CODE: "code",
      KICI_AGENT_ID: "agent-1",
      KICI_LABELS: "default,kici:agent:event",
      KICI_SCALER_MANAGED: "1",
    },
    lifetimeMs: 90 * 60_000,
  });
  expect(start && whyNoStart(start)).toBeUndefined();
  expect(agentStart(undefined)).toBeUndefined();
  expect(agentStart(Buffer.from("#!/bin/sh\n").toString("base64"))).toBeUndefined();
});

test("an agent with a variable that it does not know, or without one that it needs, does not start", () => {
  const start = agentStart(built("\nKICI_AGENT_LABELS=x"));
  expect(start && whyNoStart(start)).toBe("unknown variable KICI_AGENT_LABELS");
  expect(whyNoStart({ environment: {}, lifetimeMs: 1 })).toBe("KICI_ORCHESTRATOR_URL is not set");
});
