/** One run of a small concurrent world, moved step by step. It must do the same again when it is given the same choices. */
export interface Walk {
  /** What may happen next; none at an end. */
  choices(): readonly string[];
  /** Gives what went wrong in this very step. */
  take(choice: string): Promise<readonly string[]>;
  /** Everything on which depends what can still happen: two walks with equal states have equal futures. */
  state(): Promise<string>;
  /** What is wrong, at an end and after whatever follows it. */
  end(): Promise<readonly string[]>;
}

export interface Explored {
  /** Different orders of steps, faults included, from the beginning to an end. */
  readonly schedules: number;
  readonly states: number;
  /** Times that the world was begun anew. */
  readonly runs: number;
  /** The first schedule in which something was wrong. */
  readonly violation: { readonly schedule: readonly string[]; readonly what: readonly string[] } | undefined;
}

interface Node {
  readonly next: Map<string, number>;
  schedules: number | undefined;
}

/**
 * Walks through every schedule. What lies behind a state is walked once, however many schedules lead to it; they are
 * counted all the same. Stops at the first violation.
 */
export async function explore(begin: () => Promise<Walk>): Promise<Explored> {
  const numberOf = numbering();
  const nodes = new Map<number, Node>();
  const open: { path: readonly string[]; from: number | undefined }[] = [{ path: [], from: undefined }];
  let first: number | undefined;
  let runs = 0;
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    const walk = await begin();
    runs += 1;
    const path = [...branch.path];
    let wrong: readonly string[] = [];
    for (const choice of path) wrong = await walk.take(choice);
    let from = branch.from;
    for (;;) {
      if (wrong.length > 0) return { ...counted(nodes, first), runs, violation: { schedule: path, what: wrong } };
      const key = numberOf(await walk.state());
      first ??= key;
      const arrived = path.at(-1);
      if (from !== undefined && arrived !== undefined) nodes.get(from)?.next.set(arrived, key);
      if (nodes.has(key)) break;
      nodes.set(key, { next: new Map(), schedules: undefined });
      const [choice, ...others] = walk.choices();
      if (choice === undefined) {
        const what = await walk.end();
        if (what.length > 0) return { ...counted(nodes, first), runs, violation: { schedule: path, what } };
        break;
      }
      for (const other of others) open.push({ path: [...path, other], from: key });
      path.push(choice);
      from = key;
      wrong = await walk.take(choice);
    }
  }
  return { ...counted(nodes, first), runs, violation: undefined };
}

function counted(nodes: ReadonlyMap<number, Node>, first: number | undefined) {
  const schedulesFrom = (key: number): number => {
    const node = nodes.get(key);
    if (node === undefined) return 0;
    node.schedules ??= node.next.size === 0 ? 1 : [...node.next.values()].map(schedulesFrom).reduce((a, b) => a + b, 0);
    return node.schedules;
  };
  return { schedules: first === undefined ? 0 : schedulesFrom(first), states: nodes.size };
}

/** Gives every different text a number of its own: a short name for something long. */
export function numbering(): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const number = known.get(text) ?? known.size;
    if (number === known.size) known.set(text, number);
    return number;
  };
}
