import { errorCode, errorKind } from "./error-codes.ts";
import type { TerminateOutcome } from "./shrink.ts";

/** Sends one mutation and says what became of it: an error that does not tell is `unknown`, and nothing is thrown. */
export async function sendOnce(call: () => Promise<unknown>): Promise<TerminateOutcome> {
  try {
    await call();
    return { outcome: "accepted" };
  } catch (error) {
    const code = errorCode(error);
    const kind = errorKind(code);
    return kind === "ambiguous" ? { outcome: "unknown", code } : { outcome: "refused", code, kind };
  }
}
