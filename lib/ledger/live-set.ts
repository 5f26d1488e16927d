import type { Clock } from "../edge/clock.ts";
import { pause } from "../edge/pause.ts";
import type { Records, Stored } from "./records.ts";
import { LedgerUnavailable } from "./table.ts";

/** One member that counts against its set's cap. */
export interface Member {
  /** When its place was taken last, milliseconds since the epoch; tells one taking from another. */
  readonly since: number;
  /** Members of one kind share a cap; a member of unknown kind ("") counts for every one. */
  readonly kind: string;
}

export type Members = Readonly<Record<string, Member>>;

/**
 * Who is alive, by name: a set in one versioned item, never a counter (design: the ledger). Under any concurrency a set
 * has at most `cap` members of a kind that were let in by `take`.
 */
export interface LiveSets {
  /** Lets one member in, once however often it asks; `full` when as many others of its kind are in as `cap` says. */
  take(set: string, name: string, kind: string, cap: number): Promise<"taken" | "full">;
  /** Lets members in that live anyway, whatever the cap. */
  admit(set: string, members: Members): Promise<void>;
  /** Frees places. Of a member given with `since` only that taking is freed, not a later one. */
  free(set: string, names: readonly { readonly name: string; readonly since?: number }[]): Promise<void>;
  members(set: string): Promise<Members>;
  /** Every set that was ever written, by name. */
  sets(): Promise<readonly string[]>;
}

interface SetItem {
  readonly members: Members;
}

const setKey = (set: string) => ({ pk: `live#${set}`, sk: "members" });
const indexKey = { pk: "live", sk: "sets" };
/** Writers of one set overtake each other; each round at least one of them gets through. */
const mostTries = 400;

export function ledgerLiveSets(records: Records, clock: Clock): LiveSets {
  /** Changes one item until nobody overtakes us; a change that gives undefined ends it without a write. */
  async function change<T>(
    key: { pk: string; sk: string },
    next: (value: T | undefined) => T | undefined,
    read: Stored<T> | undefined,
  ): Promise<void> {
    let stored = read;
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const value = next(stored?.value);
      if (value === undefined) return;
      const written =
        stored === undefined ? await records.create(key, value) : await records.replace(key, stored, value);
      if (written.outcome === "written") return;
      await pause(Math.min(tries * 10, 200));
      stored = await records.read<T>(key);
    }
    throw new LedgerUnavailable(`${key.pk} is written by too many at once.`);
  }

  /** A set's name is in the index before the set is, so that no member is ever in a set that nobody looks at. */
  async function openSet(set: string): Promise<Stored<SetItem> | undefined> {
    const stored = await records.read<SetItem>(setKey(set));
    if (stored !== undefined) return stored;
    const add = (sets: readonly string[] = []) => (sets.includes(set) ? undefined : [...sets, set]);
    await change<readonly string[]>(indexKey, add, await records.read(indexKey));
    return undefined;
  }

  return {
    async take(set, name, kind, cap) {
      let taken: "taken" | "full" = "full";
      const enter = ({ members }: SetItem = { members: {} }): SetItem | undefined => {
        const others = Object.entries(members).filter(([other, member]) => other !== name && sharesCap(member, kind));
        taken = others.length < cap ? "taken" : "full";
        return taken === "full" ? undefined : { members: { ...members, [name]: { since: clock.now(), kind } } };
      };
      await change(setKey(set), enter, await openSet(set));
      return taken;
    },
    async admit(set, admitted) {
      const enter = ({ members }: SetItem = { members: {} }): SetItem | undefined => {
        const missing = Object.entries(admitted).filter(([name]) => members[name] === undefined);
        return missing.length === 0 ? undefined : { members: { ...members, ...Object.fromEntries(missing) } };
      };
      await change(setKey(set), enter, await openSet(set));
    },
    async free(set, names) {
      const leave = ({ members }: SetItem = { members: {} }): SetItem | undefined => {
        const gone = new Set(names.filter(({ name, since }) => isThis(members[name], since)).map(({ name }) => name));
        if (gone.size === 0) return undefined;
        return { members: Object.fromEntries(Object.entries(members).filter(([name]) => !gone.has(name))) };
      };
      await change<SetItem>(setKey(set), leave, await records.read(setKey(set)));
    },
    async members(set) {
      return (await records.read<SetItem>(setKey(set)))?.value.members ?? {};
    },
    async sets() {
      return (await records.read<readonly string[]>(indexKey))?.value ?? [];
    },
  };
}

const sharesCap = (member: Member, kind: string): boolean => member.kind === "" || kind === "" || member.kind === kind;

const isThis = (member: Member | undefined, since: number | undefined): boolean =>
  member !== undefined && (since === undefined || member.since === since);
