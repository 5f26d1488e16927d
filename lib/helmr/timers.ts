/** Waiting as something that can be called off, and that tests do by hand. */
export interface Timers {
  /** Calls `act` once, `ms` from now, unless the returned function is called before. */
  after(ms: number, act: () => void): () => void;
}

export const realTimers: Timers = {
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
