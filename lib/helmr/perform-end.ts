import type { TerminateOutcome } from "../capacity/shrink.ts";
import type { Observed } from "./acts.ts";
import type { EndOrder } from "./decision.ts";
import type { DrainDetail, EndAttempt } from "./drain-operation.ts";
import { freshProof } from "./fresh-proof.ts";
import type { HelmrParts } from "./parts.ts";
import { mayMutate, type Session } from "./session.ts";

/** `missing` says what kept it from being sent; nothing was done then. */
export type EndResult =
  | TerminateOutcome
  | Observed
  | { readonly outcome: "unproven"; readonly missing: readonly string[] };

/**
 * Ends exactly one instance: reads everything that proves it afresh, records the attempt, and sends it once (design: rules
 * 2, 3 and 5). An instance that waits in its termination hook is let go instead: its place was given up by others.
 */
export async function performEnd(parts: HelmrParts, session: Session, order: EndOrder): Promise<EndResult> {
  await mayMutate(parts, session);
  const proof = await freshProof(parts, session, order);
  const { hook } = proof;
  if (proof.missing.length > 0) return { outcome: "unproven", missing: proof.missing };

  return parts.acts.end(parts, session, order, hook);
}

/** Records the attempt, sends it once, and records what became of it. */
export async function endInstance(
  parts: HelmrParts,
  session: Session,
  order: EndOrder,
  hook: string | undefined,
): Promise<TerminateOutcome> {
  const { by, key, detail } = order;
  const { group, instance = "", decrement } = detail;
  const at = parts.clock.now();
  await record(session, order, { by, at, outcome: "sent" }, detail.attempts + 1);
  session.hold.lasts(parts.settings.mutationTimeoutMs * 2);
  const sent =
    hook === undefined
      ? await parts.shrink.terminate(instance, { decrement })
      : await parts.hooks.complete({ group, hook, instance }, "CONTINUE");
  const code = sent.outcome === "accepted" ? {} : { code: sent.code };
  await session.open.advance(key, { detail: { lastAttempt: { by, at, outcome: sent.outcome, ...code } } });
  return sent;
}

async function record(session: Session, { key, detail }: EndOrder, lastAttempt: EndAttempt, attempts: number) {
  const whole: DrainDetail = { ...detail, lastAttempt, attempts };
  if (session.open.find(key) === undefined) await session.open.begin(key, "ending", whole);
  else await session.open.advance(key, { phase: "ending", detail: whole });
}
