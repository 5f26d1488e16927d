import type { CapacityEvent } from "./event.ts";

type Kind = CapacityEvent["type"];

/** When an event of a pool and type may go out: keyed on the last attempt, whatever became of it (contract; notes 2). */
export type Cooldown = {
  /** Whether to attempt now. Notes the attempt when so. `since` is when the excess was first seen without a break. */
  attempt(pool: string, kind: Kind, now: number, since?: number): boolean;
};

/**
 * A first scale-down waits until the excess was visible for a whole cooldown; later ones only for the cooldown since the
 * last attempt (notes 0, row 4).
 */
export function cooldown(lengthMs: number): Cooldown {
  const attempts = new Map<string, number>();
  return {
    attempt(pool, kind, now, since = now) {
      const key = `${kind} ${pool}`;
      const last = attempts.get(key);
      const from = last ?? (kind === "scale_down_opportunity" ? since : Number.NEGATIVE_INFINITY);
      if (now - from < lengthMs) return false;
      attempts.set(key, now);
      return true;
    },
  };
}
