interface Entry {
  at: number;
  order: number;
  run: () => void;
}

/** Transitions that will happen by themselves, run in time order; those of one instant in the order they were planned. */
export interface Schedule {
  /** The instant of the transition that is running, or undefined between transitions. */
  readonly running: number | undefined;
  at(time: number, run: () => void): void;
  /** Runs all that is due by `now`, including what those transitions plan for themselves. */
  runDue(now: number): void;
  /** When the next transition is due, or undefined when nothing is planned. */
  next(): number | undefined;
}

export function createSchedule(): Schedule {
  const heap: Entry[] = [];
  let order = 0;
  let running: number | undefined;
  return {
    get running() {
      return running;
    },
    at(time, run) {
      order += 1;
      push(heap, { at: time, order, run });
    },
    runDue(now) {
      // A transition that reads the world through a call must not start the queue again inside itself.
      if (running !== undefined) return;
      try {
        for (let first = heap[0]; first !== undefined && first.at <= now; first = heap[0]) {
          pop(heap);
          running = first.at;
          first.run();
        }
      } finally {
        running = undefined;
      }
    },
    next: () => heap[0]?.at,
  };
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as Entry;
    if (!before(entry, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop() as Entry;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    let below = 2 * index + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && before(heap[below + 1] as Entry, heap[below] as Entry)) below += 1;
    if (!before(heap[below] as Entry, last)) break;
    heap[index] = heap[below] as Entry;
    index = below;
  }
  heap[index] = last;
}
