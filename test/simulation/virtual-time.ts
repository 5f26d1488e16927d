/** Something that has a schedule of its own and follows this clock, as the simulated AWS does. */
export interface Follower {
  /** When it will next act by itself, in epoch milliseconds. */
  nextChangeAt(): number | undefined;
  /** Lets what is due by the clock happen. */
  settle(): void;
}

/** A clock that stands still between steps, and jumps to whatever happens next. Milliseconds since the Unix epoch. */
export interface VirtualTime {
  now(): number;
  /** Plans something; what is due at one instant happens in the order in which it was planned. */
  at(time: number, run: () => void): void;
  after(ms: number, run: () => void): void;
  sleep(ms: number): Promise<void>;
  follow(follower: Follower): void;
  /** When the next thing happens, undefined when nothing will. */
  next(): number | undefined;
  /** Moves to the next thing and lets it happen; resolves when all code that could go on by then has gone on. */
  step(): Promise<void>;
  /** Puts `setTimeout` and `clearTimeout` onto this clock; the answer puts the real ones back. */
  takeTimers(): () => void;
}

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export function virtualTime(startMs: number): VirtualTime {
  const heap: Planned[] = [];
  const followers: Follower[] = [];
  let now = startMs;
  let order = 0;

  function at(time: number, run: () => void): void {
    order += 1;
    push(heap, { at: Math.max(time, now), order, run });
  }

  function next(): number | undefined {
    const times = [heap[0]?.at, ...followers.map((follower) => follower.nextChangeAt())];
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.max(now, Math.min(...known));
  }

  return {
    now: () => now,
    at,
    after: (ms, run) => at(now + ms, run),
    sleep: (ms) => new Promise((resolve) => at(now + ms, resolve)),
    follow: (follower) => void followers.push(follower),
    next,
    async step() {
      const time = next();
      if (time === undefined) return;
      now = time;
      for (const follower of followers) follower.settle();
      if ((heap[0]?.at ?? Number.POSITIVE_INFINITY) <= now) pop(heap)?.run();
      // Every promise that can go on does so before the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    },
    takeTimers() {
      const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
      const cancelled = new WeakSet<object>();
      const setVirtual = (run: () => void, ms = 0): object => {
        const handle = { ref: () => handle, unref: () => handle };
        at(now + ms, () => {
          if (!cancelled.has(handle)) run();
        });
        return handle;
      };
      const clearVirtual = (handle: unknown): void => {
        if (typeof handle === "object" && handle !== null) cancelled.add(handle);
      };
      Object.assign(globalThis, { setTimeout: setVirtual, clearTimeout: clearVirtual });
      return () => void Object.assign(globalThis, real);
    },
  };
}

const isBefore = (a: Planned, b: Planned): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Planned[], entry: Planned): void {
  let index = heap.push(entry) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Planned;
    if (!isBefore(entry, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = entry;
}

function pop(heap: Planned[]): Planned | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const child = right < heap.length && isBefore(heap[right] as Planned, heap[left] as Planned) ? right : left;
    if (!isBefore(heap[child] as Planned, last)) break;
    heap[index] = heap[child] as Planned;
    index = child;
  }
  heap[index] = last;
  return first;
}
