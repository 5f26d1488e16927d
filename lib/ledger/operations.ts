import type { Clock } from "../edge/clock.ts";
import type { Records, Stored, Write } from "./records.ts";
import type { Table } from "./table.ts";

/**
 * Something that takes several steps to do, and that a crash between any two of them must not lose (design: rule 2). The
 * key is the operation's identity towards the outside: what it did not do yet can be repeated under it.
 */
export interface Operation<Phase extends string, Detail> {
  readonly fleet: string;
  readonly key: string;
  readonly phase: Phase;
  /** Who drives it now, and until when nobody else may (milliseconds since the epoch). */
  readonly owner: string;
  readonly ownedUntil: number;
  readonly startedAt: number;
  readonly changedAt: number;
  readonly detail: Detail;
}

const keyOf = (fleet: string, key: string) => ({ pk: `operation#${fleet}`, sk: key });
/** Finished operations stay as long as the trail that tells of them. */
const keptMs = 30 * 24 * 3_600_000;
const pageSize = 100;

export interface Operations<Phase extends string, Detail> {
  /** Records the intent, once: a second start under the same key gets what the first one left. */
  start(operation: Omit<Operation<Phase, Detail>, "startedAt" | "changedAt">): Promise<Write<Operation<Phase, Detail>>>;
  find(fleet: string, key: string): Promise<Stored<Operation<Phase, Detail>> | undefined>;
  /** The fleet's operations, finished ones of the last 30 days among them, by key. */
  list(fleet: string): Promise<Operation<Phase, Detail>[]>;
  /** Moves on from exactly what was read; a conflict means that another copy drives it, and nothing was changed. */
  advance(
    read: Stored<Operation<Phase, Detail>>,
    change: Partial<Pick<Operation<Phase, Detail>, "phase" | "owner" | "ownedUntil" | "detail">>,
    options?: { readonly finished?: boolean },
  ): Promise<Write<Operation<Phase, Detail>>>;
}

export function ledgerOperations<Phase extends string, Detail>(
  records: Records,
  table: Table,
  clock: Clock,
): Operations<Phase, Detail> {
  type Op = Operation<Phase, Detail>;
  return {
    start(operation) {
      const now = clock.now();
      const value: Op = { ...operation, startedAt: now, changedAt: now };
      return records.create(keyOf(operation.fleet, operation.key), value);
    },
    find: (fleet, key) => records.read<Op>(keyOf(fleet, key)),
    async list(fleet) {
      const found: Op[] = [];
      let from = "";
      for (;;) {
        const page = await table.query(`operation#${fleet}`, { ...(from === "" ? {} : { from }), limit: pageSize });
        const live = page.items.filter((item) => item.expiresAt === undefined || item.expiresAt * 1000 > clock.now());
        found.push(...live.map((item) => JSON.parse(item.body) as Op));
        const last = page.items.at(-1);
        if (!page.more || last === undefined) return found;
        // The next key in order after the last one seen.
        from = `${last.sk}\u0000`;
      }
    },
    advance(read, change, { finished = false } = {}) {
      const value: Op = { ...read.value, ...change, changedAt: clock.now() };
      return records.replace(keyOf(value.fleet, value.key), read, value, finished ? { lifeMs: keptMs } : {});
    },
  };
}
