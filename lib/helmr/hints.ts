/** Hints that something may have changed, for several waiters at once. A hint says nothing but "look" (invariant 42). */
export interface Hints {
  hint(): void;
  /** A waiter of its own: it hears of hints from now on. */
  waiter(): HintWaiter;
}

export interface HintWaiter {
  /** Aborted by the next hint, at once if one came since {@link HintWaiter.heard}. */
  signal(): AbortSignal;
  /** Whether a hint came since the last call of `heard`. */
  readonly isHinted: boolean;
  /** A look begins: what was hinted before it is seen by it. */
  heard(): void;
}

export function hints(): Hints {
  const waiters = new Set<() => void>();
  return {
    hint() {
      for (const wake of [...waiters]) wake();
    },
    waiter() {
      let isHinted = false;
      let controller = new AbortController();
      waiters.add(() => {
        isHinted = true;
        controller.abort();
      });
      return {
        signal: () => controller.signal,
        get isHinted() {
          return isHinted;
        },
        heard() {
          isHinted = false;
          controller = new AbortController();
        },
      };
    },
  };
}
