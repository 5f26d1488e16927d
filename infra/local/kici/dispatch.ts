import type { KiciEvent } from "./events.ts";

export type DispatchParts = {
  now(): number;
  /** Runs something later, in the orchestrator's time. */
  after(ms: number, run: () => void): void;
  /** 0 to below 1. */
  random(): number;
  /** One run of one workflow. Whatever becomes of it, the event counts as processed: KiCI never repeats a run that failed. */
  run(event: KiciEvent): Promise<void>;
};

export type Dispatch = {
  emit(event: KiciEvent): void;
  /** The next dispatches fail after their first run began, as when one of several workflows cannot be started. */
  failNext(times: number): void;
  /** Workflows that match each event; each gets a run of its own. */
  setWorkflows(count: number): void;
  /** An operator repeats an event as it was stored: the same payload to the letter. */
  redeliver(event: KiciEvent): void;
  /** Events that were given up after five tries. */
  readonly dead: readonly KiciEvent[];
  /** Resolves once no run is under way. */
  settled(): Promise<void>;
};

const mostTries = 5;
const firstBackoffMs = 5_000;
const longestBackoffMs = 300_000;
/** From an event to its workflow's step: the run is created, and an agent picks it up. */
const startMs = 500;

/** The event router: at least once, with full jitter between tries (kici-notes 2). Order is not kept. */
export function dispatch(parts: DispatchParts): Dispatch {
  const dead: KiciEvent[] = [];
  const runs = new Set<Promise<void>>();
  let workflows = 1;
  let failures = 0;

  function begin(event: KiciEvent): void {
    const run = parts
      .run(event)
      .catch(() => {})
      .finally(() => runs.delete(run));
    runs.add(run);
  }

  function attempt(event: KiciEvent, tries: number): void {
    if (failures > 0) {
      failures -= 1;
      begin(event);
      if (tries >= mostTries) {
        dead.push(event);
        return;
      }
      const most = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (tries - 1));
      parts.after(parts.random() * most, () => attempt(event, tries + 1));
      return;
    }
    for (let index = 0; index < workflows; index += 1) begin(event);
  }

  const emit = (event: KiciEvent) => parts.after(startMs, () => attempt(event, 1));
  return {
    emit,
    redeliver: emit,
    failNext(times) {
      failures = times;
    },
    setWorkflows(count) {
      workflows = count;
    },
    dead,
    async settled() {
      while (runs.size > 0) await Promise.all(runs);
    },
  };
}
