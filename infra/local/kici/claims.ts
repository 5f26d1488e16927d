import { createHash, randomBytes } from "node:crypto";

/** What a claim code stands for, and what the agent is told in exchange. */
export type Claim = { agentId: string; labels: readonly string[] };

type Entry = Claim & { expiresAt: number; consumed: boolean };

export type Claimed = Claim & { agentToken: string; orchestratorUrl: string };

export type Claims = {
  mint(claim: Claim, lifeMs: number): string;
  /** The claim RPC: once, in time, or one of its three errors (kici-notes 4). */
  redeem(code: string): Claimed | { error: string };
  /** The best that a teardown can do; an agent may have been faster. */
  invalidate(agentId: string): void;
  /** Whether a token lets this agent register with exactly these labels, now. */
  allows(token: string, claim: Claim): string | undefined;
};

/** An expired code is remembered as such for so long. */
const retentionMs = 3_600_000;

/** Claim codes and the tokens that they are exchanged for. Only digests are kept of either. */
export function claims(clock: { now(): number }, orchestratorUrl: string, tokenLifeMs: number): Claims {
  const codes = new Map<string, Entry>();
  const tokens = new Map<string, Claim & { expiresAt: number }>();
  return {
    mint(claim, lifeMs) {
      const code = randomBytes(32).toString("hex");
      codes.set(digest(code), { ...claim, expiresAt: clock.now() + lifeMs, consumed: false });
      return code;
    },
    redeem(code) {
      const entry = codes.get(digest(code));
      const late = clock.now() - (entry?.expiresAt ?? 0);
      if (entry === undefined || late >= retentionMs) return { error: "invalid claim code" };
      if (entry.consumed) return { error: "claim code already consumed" };
      if (late >= 0) return { error: "claim code expired" };
      entry.consumed = true;
      const { agentId, labels } = entry;
      const agentToken = `kat_${randomBytes(24).toString("hex")}`;
      tokens.set(digest(agentToken), { agentId, labels, expiresAt: clock.now() + tokenLifeMs });
      return { agentToken, agentId, labels, orchestratorUrl };
    },
    invalidate(agentId) {
      for (const [key, entry] of codes) if (entry.agentId === agentId) codes.delete(key);
    },
    allows(token, { agentId, labels }) {
      const bound = tokens.get(digest(token));
      if (bound === undefined || bound.agentId !== agentId || clock.now() >= bound.expiresAt) return "unknown token";
      return labels.every((label) => bound.labels.includes(label)) ? undefined : "labels exceed token-bound scope";
    },
  };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
