import type { Item, Table } from "../../lib/ledger/table.ts";

/** The ledger's table in memory, for simulations on a virtual clock. It passes the same contract suite as DynamoDB's. */
export class MemoryTable implements Table {
  readonly #items = new Map<string, Item>();

  async get(keys: readonly { pk: string; sk: string }[]): Promise<(Item | undefined)[]> {
    return keys.map(({ pk, sk }) => this.#items.get(`${pk}\n${sk}`));
  }

  async put(item: Item, condition: Parameters<Table["put"]>[1]): Promise<"written" | "refused"> {
    const key = `${item.pk}\n${item.sk}`;
    const stored = this.#items.get(key);
    const holds =
      "version" in condition
        ? stored?.version === condition.version
        : stored === undefined || (stored.expiresAt !== undefined && stored.expiresAt <= condition.absent.now);
    if (!holds) return "refused";
    this.#items.set(key, item);
    return "written";
  }

  async query(pk: string, range: Parameters<Table["query"]>[1]): Promise<{ items: Item[]; more: boolean }> {
    const { from = "", to, limit, newestFirst = false } = range;
    const found = [...this.#items.values()]
      .filter((item) => item.pk === pk && item.sk >= from && (to === undefined || item.sk <= to))
      .sort((a, b) => (a.sk < b.sk ? -1 : 1));
    if (newestFirst) found.reverse();
    return { items: found.slice(0, limit), more: found.length > limit };
  }
}
