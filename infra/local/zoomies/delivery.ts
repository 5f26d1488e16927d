import type { PostReply } from "./post.ts";
import type { SignedRequest } from "./signed-request.ts";

/** How one delivery ended, its tries taken together. */
export type Delivered = {
  delivered: boolean;
  tries: number;
  /** Of the last try; undefined when nothing answered. */
  status: number | undefined;
  outcome: string | undefined;
  error: string | undefined;
};

export type DeliveryParts = {
  post(url: string, request: SignedRequest, timeoutMs: number): Promise<PostReply>;
  wait(ms: number): Promise<void>;
};

const WAITS_MS = [100, 200];

/**
 * One event's delivery: three tries with 100 and 200 ms between them, any 200 to 299 is success, everything else is tried
 * again alike, and the same bytes go out each time (notes 2).
 */
export async function deliver(
  url: string,
  request: SignedRequest,
  timeoutMs: number,
  parts: DeliveryParts,
): Promise<Delivered> {
  let last: Delivered = { delivered: false, tries: 0, status: undefined, outcome: undefined, error: undefined };
  for (const pause of [...WAITS_MS, undefined]) {
    const tries = last.tries + 1;
    try {
      const { status, headers } = await parts.post(url, request, timeoutMs);
      const outcome = headers["x-drover-outcome"];
      const delivered = status >= 200 && status <= 299;
      last = { delivered, tries, status, outcome: typeof outcome === "string" ? outcome : undefined, error: undefined };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      last = { delivered: false, tries, status: undefined, outcome: undefined, error: message };
    }
    if (last.delivered || pause === undefined) break;
    await parts.wait(pause);
  }
  return last;
}
