/** The simulator's time: milliseconds since the Unix epoch. A running world passes the system clock, a simulation its own. */
export interface SimClock {
  now(): number;
}

/** A clock that stands still until it is moved; it never goes back. */
export class ManualClock implements SimClock {
  #now: number;

  constructor(startMs: number) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.set(this.#now + ms);
  }

  set(ms: number): void {
    if (ms < this.#now) throw new RangeError(`The clock cannot go back from ${this.#now} to ${ms}`);
    this.#now = ms;
  }
}
