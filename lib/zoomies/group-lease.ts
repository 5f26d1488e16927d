import { type HeldGroup, renewGroup, type ZoomiesRecord } from "./group-record.ts";
import type { DemandParts } from "./parts.ts";

/** The lease of one group through a run that may outlast it. */
export interface GroupLease {
  readonly name: string;
  /** The group's record as we last saw or wrote it, with the lease. */
  held(): HeldGroup;
  /**
   * Whether a mutation may be sent now: the lease is ours for longer than its answer can take (design: rule 3). Renews it
   * where it runs short.
   */
  mayMutate(): Promise<boolean>;
  /** Renews the lease and reads what came in meanwhile, with a change of the record if one is given. */
  renew(change?: Partial<ZoomiesRecord>): Promise<boolean>;
}

export function groupLease(parts: DemandParts, taken: HeldGroup): GroupLease {
  let held = taken;
  let isLost = false;

  async function renew(change: Partial<ZoomiesRecord> = {}): Promise<boolean> {
    const renewed = isLost ? undefined : await renewGroup(parts, held, change);
    if (renewed === undefined) isLost = true;
    else held = renewed;
    return !isLost;
  }

  return {
    name: taken.name,
    held: () => held,
    renew,
    async mayMutate() {
      const left = held.lease.until - parts.clock.now();
      return !isLost && (left > parts.settings.leaseMs / 2 || renew());
    },
  };
}
