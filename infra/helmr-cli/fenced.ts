import { ControlPlaneError, ControlPlaneUnreachable, isRefusal } from "../../lib/helmr/control-plane.ts";
import { failed, type Outcome } from "../cli/outcome.ts";

/**
 * Sends a mutation once. When its fence was stale, or nobody knows whether it happened, the state is read again and shown;
 * nothing is sent a second time (the contract: discard, read, reconcile). Other errors come through.
 */
export async function fenced<T>(
  mutate: () => Promise<T>,
  done: (result: T) => Outcome,
  readAgain: () => Promise<{ readonly line: string; readonly value: unknown }>,
): Promise<Outcome> {
  let result: T;
  try {
    result = await mutate();
  } catch (error) {
    const isStale = error instanceof ControlPlaneError && error.status === 409;
    const isUnknown =
      error instanceof ControlPlaneUnreachable || (error instanceof ControlPlaneError && !isRefusal(error));
    if (!isStale && !isUnknown) throw error;
    const first = isStale
      ? `Refused, nothing was done. ${error.message}`
      : `No answer that tells: it may have been done or not. ${(error as Error).message}`;
    const code = error instanceof ControlPlaneError ? error.code : "unknown_outcome";
    const now = await readAgain();
    const lines = [first, `Read again just now: ${now.line}`, "If you still want it, run the command again."];
    return failed(lines, { error: code, message: first, now: now.value });
  }
  return done(result);
}
