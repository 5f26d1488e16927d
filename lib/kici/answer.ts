import type { Refusal } from "../edge/http-answer.ts";

/** What the forwarding workflow is told: done in one word, or a refusal. */
export type Answer =
  | {
      readonly status: "launched" | "exists" | "withdrawn" | "terminating" | "absent";
      readonly agentId: string;
      readonly instanceId?: string;
      readonly refusal?: undefined;
    }
  /** What would have been done is recorded, and nothing was done. */
  | { readonly status: "observed"; readonly agentId: string; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

export const refusedWith = (
  status: number,
  code: string,
  message: string,
  retryAfter?: number,
): { readonly refusal: Refusal } => ({
  refusal: { status, code, message, ...(retryAfter === undefined ? {} : { retryAfter }) },
});

/** AWS refused or did not answer: its own code, never its message, which may quote the request. */
export const awsRefused = (code: string, what: string, retryAfter: number): { readonly refusal: Refusal } =>
  refusedWith(503, code, `${what} (${code}).`, retryAfter);

/** Whole seconds until a moment, for Retry-After: at least one. */
export const secondsUntil = (time: number, now: number): number => Math.max(1, Math.ceil((time - now) / 1000));
