import type { Clock } from "../edge/clock.ts";
import { type Lease, release, take } from "./lease.ts";
import type { Records, Stored } from "./records.ts";

/** A lease that stands in the ledger by itself, for work that keeps no group record. */
export interface Leases {
  /** Takes or renews the lease; undefined while somebody else holds it, or took it at this moment. */
  take(name: string, owner: string, forMs: number): Promise<Lease | undefined>;
  /** Ends the lease if `owner` still holds it. */
  release(name: string, owner: string): Promise<void>;
}

const keyOf = (name: string) => ({ pk: `lease#${name}`, sk: "lease" });

export function ledgerLeases(records: Records, clock: Clock): Leases {
  async function write(name: string, before: Stored<Lease> | undefined, lease: Lease): Promise<Lease | undefined> {
    const key = keyOf(name);
    const written = before === undefined ? await records.create(key, lease) : await records.replace(key, before, lease);
    return written.outcome === "written" ? lease : undefined;
  }

  return {
    async take(name, owner, forMs) {
      const before = await records.read<Lease>(keyOf(name));
      const lease = take(before?.value, owner, clock.now(), forMs);
      return lease === undefined ? undefined : write(name, before, lease);
    },
    async release(name, owner) {
      const before = await records.read<Lease>(keyOf(name));
      if (before !== undefined && before.value.owner === owner) await write(name, before, release(before.value));
    },
  };
}
