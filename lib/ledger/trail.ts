import type { Clock } from "../edge/clock.ts";
import type { Records } from "./records.ts";
import type { Table } from "./table.ts";

/** One line of the decision trail: what was seen, what was decided and why, what came of it (design: the ledger). */
export interface TrailEntry {
  readonly fleet: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly saw: Readonly<Record<string, unknown>>;
  readonly decided: string;
  readonly reasons: readonly string[];
  readonly outcome: string;
}

const keptMs = 30 * 24 * 3_600_000;

export interface Trail {
  /** Written when a decision changes, not at every look. */
  append(entry: Omit<TrailEntry, "at">): Promise<void>;
  /** Entries of one fleet since a time, oldest first, at most `limit`. */
  since(fleet: string, at: number, limit: number): Promise<TrailEntry[]>;
}

export function ledgerTrail(records: Records, table: Table, clock: Clock, newToken: () => string): Trail {
  return {
    async append(entry) {
      const at = clock.now();
      const sk = `${new Date(at).toISOString()}#${newToken()}`;
      await records.create({ pk: `trail#${entry.fleet}`, sk }, { ...entry, at }, { lifeMs: keptMs });
    },
    async since(fleet, at, limit) {
      // What has expired may still be there; starting after it keeps it from using up the limit.
      const from = new Date(Math.max(at, clock.now() - keptMs)).toISOString();
      const page = await table.query(`trail#${fleet}`, { from, limit });
      return page.items.map((item) => JSON.parse(item.body) as TrailEntry);
    },
  };
}
