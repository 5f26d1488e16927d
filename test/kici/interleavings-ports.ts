import type { LaunchParts } from "../../lib/kici/parts.ts";
import type { LiveSets } from "../../lib/ledger/live-set.ts";
import { type Item, LedgerUnavailable, type Table } from "../../lib/ledger/table.ts";
import type { Trail } from "../../lib/ledger/trail.ts";
import { MemoryTable } from "../ledger/memory-table.ts";
import type { Call } from "./interleavings-gates.ts";

type Unchanging = Pick<LaunchParts, "templates" | "types">;
const known = new WeakMap<object, Unchanging>();

/**
 * Templates and types, which nobody changes here: reading them goes together with every other call in any order, so it is
 * no step of its own, and what was read once is read.
 */
export function warm(ground: object, read: () => Unchanging): Unchanging {
  const parts = known.get(ground) ?? read();
  known.set(ground, parts);
  return parts;
}

export function keeping<P extends object>(port: P): P {
  const answers = new Map<string, unknown>();
  const methods = Object.entries(port as Readonly<Record<string, (...args: unknown[]) => unknown>>);
  const kept = methods.map(([name, method]) => {
    const read = (...args: unknown[]) => {
      const key = JSON.stringify([name, args]);
      if (!answers.has(key)) answers.set(key, method(...args));
      return answers.get(key);
    };
    return [name, read];
  });
  return Object.fromEntries(kept) as P;
}

export type Step = <T>(call: Call, effect: () => Promise<T>) => Promise<T>;

const unavailable = () => new LedgerUnavailable("The ledger table could not be reached.");
/** A trail that nobody reads: its writes are no steps. */
export const silentTrail: Trail = {
  append: async () => {},
  appendChange: async () => {},
  since: async () => [],
  async *all() {},
  fleets: async () => [],
};
export const silent = { log: () => {}, with: () => silent };

/** The ledger in memory that can be looked at from outside. */
export class WatchedTable extends MemoryTable {
  readonly #items = new Map<string, Item>();
  override async put(item: Item, condition: Parameters<Table["put"]>[1]) {
    const outcome = await super.put(item, condition);
    if (outcome === "written") this.#items.set(`${item.pk}\n${item.sk}`, item);
    return outcome;
  }
  value<T>({ pk, sk }: { pk: string; sk: string }): T | undefined {
    const item = this.#items.get(`${pk}\n${sk}`);
    return item === undefined ? undefined : (JSON.parse(item.body) as T);
  }
  all(): readonly Item[] {
    return [...this.#items.values()];
  }
}

export function gatedTable(table: Table, step: Step, onPut: (item: Item) => void): Table {
  const failure = unavailable;
  return {
    get: (keys) => step({ name: "get", kind: "read", failure }, () => table.get(keys)),
    put: (item, condition) =>
      step({ name: "put", kind: "conditional-put", failure, repeated: "refused" }, async () => {
        const [stored] = await table.get([item]);
        const holds = "version" in condition ? stored?.version === condition.version : stored === undefined;
        if (holds) onPut(item);
        return table.put(item, condition);
      }),
    query: (pk, range) => step({ name: "query", kind: "read", failure }, () => table.query(pk, range)),
  };
}

export function gatedSets(sets: LiveSets, step: Step): LiveSets {
  const failure = unavailable;
  const write = { kind: "write", failure } as const;
  return {
    take: (set, name, cap) => step({ name: "take", ...write }, () => sets.take(set, name, cap)),
    admit: (set, name) => step({ name: "admit", ...write }, () => sets.admit(set, name)),
    free: (set, name, since) => step({ name: "free", ...write }, () => sets.free(set, name, since)),
    places: (set) => step({ name: "places", kind: "read", failure }, () => sets.places(set)),
    sets: () => step({ name: "sets", kind: "read", failure }, () => sets.sets()),
  };
}

export function callOf(command: { readonly schema?: unknown }): Call {
  const [, , name] = (command.schema ?? []) as [number, string, string];
  const failure = () => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  return { name, kind: name.startsWith("Describe") ? "read" : "write", failure };
}
