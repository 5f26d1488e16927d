import type { Records, Stored } from "../ledger/records.ts";

/** Where the last run that ran out of time stopped, by group name. */
interface Cursor {
  readonly after: string;
}

const key = { pk: "cursor#zoomies-reconciler", sk: "cursor" };

export interface RunCursor {
  /** The list, by name, beginning after the group that the last run came to. */
  order<T extends { readonly name: string }>(list: readonly T[]): T[];
  /** Notes the last group that was begun, where some are left; or that none is. */
  save(last: string | undefined): Promise<void>;
}

/** A run that has no time for all groups leaves off where the next one begins, so that none starves. One needs no turn. */
export async function runCursor(records: Records, due: number): Promise<RunCursor> {
  const stored: Stored<Cursor> | undefined = due > 1 ? await records.read<Cursor>(key) : undefined;
  const after = stored?.value.after ?? "";
  return {
    order(list) {
      const sorted = [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
      const start = sorted.findIndex(({ name }) => name > after);
      return start <= 0 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
    },
    async save(last = "") {
      if (last === after) return;
      // Two runs at once may both write: wherever the next one begins, every group's turn comes.
      await (stored === undefined
        ? records.create(key, { after: last })
        : records.replace(key, stored, { after: last }));
    },
  };
}
