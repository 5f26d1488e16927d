import type { Clock } from "../edge/clock.ts";
import type { Records } from "./records.ts";
import type { Item, Table } from "./table.ts";

/** One line of the decision trail: what was seen, what was decided and why, what came of it (design: the ledger). */
export interface TrailEntry {
  readonly fleet: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly saw: Readonly<Record<string, unknown>>;
  readonly decided: string;
  readonly reasons: readonly string[];
  /** What came of it: `none` where nothing was to be sent, `observed` where it was not sent because Drover only observes. */
  readonly outcome: string;
}

const keptMs = 30 * 24 * 3_600_000;
const pageSize = 100;
const fleetsKey = "trail-fleets";

export interface Trail {
  /** Written when a decision changes, not at every look. */
  append(entry: Omit<TrailEntry, "at">): Promise<void>;
  /**
   * The same for a decision that somebody asks for again and again: a line only when decision, reasons or outcome are
   * others than at the subject's last line.
   */
  appendChange(subject: string, entry: Omit<TrailEntry, "at">): Promise<void>;
  /** Entries of one fleet since a time, oldest first, at most `limit`. */
  since(fleet: string, at: number, limit: number): Promise<TrailEntry[]>;
  /** Every entry of one fleet since a time, oldest first, read page by page. */
  all(fleet: string, at: number): AsyncIterable<TrailEntry>;
  /** Names of the fleets that have a trail. */
  fleets(): Promise<string[]>;
}

export function ledgerTrail(records: Records, table: Table, clock: Clock, newToken: () => string): Trail {
  /** Fleets that this environment has named in the list of fleets. */
  const named = new Set<string>();
  /** Keeps what one environment says within a millisecond in its order. */
  let lines = 0;

  async function append(entry: Omit<TrailEntry, "at">): Promise<void> {
    const at = clock.now();
    lines += 1;
    const sk = `${new Date(at).toISOString()}#${String(lines).padStart(9, "0")}#${newToken()}`;
    await Promise.all([
      records.create({ pk: `trail#${entry.fleet}`, sk }, { ...entry, at }, { lifeMs: keptMs }),
      name(entry.fleet),
    ]);
  }

  async function name(fleet: string): Promise<void> {
    if (named.has(fleet)) return;
    const key = { pk: fleetsKey, sk: fleet };
    if ((await records.read(key)) === undefined) await records.create(key, fleet);
    named.add(fleet);
  }

  /** What has expired may still be there; starting after it keeps it from using up a limit. */
  const first = (at: number): string => new Date(Math.max(at, clock.now() - keptMs)).toISOString();

  /** Every item under a key in its order, read page by page. */
  async function* itemsOf(pk: string, start?: string): AsyncIterable<Item> {
    let from = start;
    for (;;) {
      const page = await table.query(pk, { ...(from === undefined ? {} : { from }), limit: pageSize });
      yield* page.items;
      const last = page.items.at(-1);
      if (!page.more || last === undefined) return;
      from = `${last.sk}\u0000`;
    }
  }

  return {
    append,
    async appendChange(subject, entry) {
      const key = { pk: `said#${entry.fleet}`, sk: subject };
      const { decided, reasons, outcome } = entry;
      const said = JSON.stringify([decided, reasons, outcome]);
      const before = await records.read<string>(key);
      if (before?.value === said) return;
      // The line first: should the note of it fail, it is told twice, and never not at all.
      await append(entry);
      const life = { lifeMs: keptMs };
      await (before === undefined ? records.create(key, said, life) : records.replace(key, before, said, life));
    },
    async since(fleet, at, limit) {
      const page = await table.query(`trail#${fleet}`, { from: first(at), limit });
      return page.items.map((item) => JSON.parse(item.body) as TrailEntry);
    },
    async *all(fleet, at) {
      for await (const { body } of itemsOf(`trail#${fleet}`, first(at))) yield JSON.parse(body) as TrailEntry;
    },
    async fleets() {
      const found: string[] = [];
      for await (const { sk } of itemsOf(fleetsKey)) found.push(sk);
      return found;
    },
  };
}
