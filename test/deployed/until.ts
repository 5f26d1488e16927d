import { setTimeout as pause } from "node:timers/promises";

/**
 * Looks again and again at something that other processes bring about in their own time, and gives what it found. Throws when
 * `what` is still not so after `ms`.
 */
export async function until<T>(what: string, ms: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Not so after ${ms / 1000} s: ${what}.`);
    await pause(250);
  }
}
