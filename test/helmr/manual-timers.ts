import type { Timers } from "../../lib/helmr/timers.ts";

/** Time that passes only when told to. */
export class ManualTimers implements Timers {
  #now = 0;
  #pending: { at: number; act: () => void }[] = [];

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act };
    this.#pending.push(timer);
    return () => {
      this.#pending = this.#pending.filter((other) => other !== timer);
    };
  }

  /** How long each pending timer still has, in milliseconds. */
  get pending(): number[] {
    return this.#pending.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  elapse(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#pending.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      this.#pending = this.#pending.filter((other) => other !== next);
      next.act();
    }
    this.#now = until;
  }
}
