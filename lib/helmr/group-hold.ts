import type { Clock } from "../edge/clock.ts";
import type { Lease } from "../ledger/lease.ts";
import type { Leases } from "../ledger/leases.ts";

/** The Worker group is no longer ours to change: nothing was sent. */
export class HoldLost extends Error {
  override readonly name = "HoldLost";
}

/** The right to change one Worker group (design: a group has one writer at a time). */
export interface GroupHold {
  readonly owner: string;
  readonly fence: number;
  /** When it was taken, milliseconds since the epoch. */
  readonly since: number;
  /**
   * Renews the lease under its own fencing number and makes sure that it lasts `neededMs` from now; asked before every
   * mutation (design: rule 3). Throws {@link HoldLost}.
   */
  assert(neededMs: number): Promise<void>;
  /** The same without renewing, for a last look at the clock. Throws {@link HoldLost}. */
  lasts(neededMs: number): void;
  release(): Promise<void>;
}

const leaseName = (workerGroup: string) => `helmr#${workerGroup}`;

/** Undefined while another invocation holds the group. */
export async function takeHold(
  { leases, clock }: { readonly leases: Leases; readonly clock: Clock },
  workerGroup: string,
  owner: string,
  leaseMs: number,
): Promise<GroupHold | undefined> {
  const name = leaseName(workerGroup);
  const taken: Lease | undefined = await leases.take(name, owner, leaseMs);
  if (taken === undefined) return undefined;
  const { fence } = taken;
  let { until } = taken;
  const lasts = (neededMs: number) => {
    if (until - clock.now() <= neededMs) throw new HoldLost("The lease is too short for what is to be sent.");
  };
  return {
    owner,
    fence,
    since: clock.now(),
    async assert(neededMs) {
      const renewed = await leases.take(name, owner, leaseMs);
      // A higher fence means that somebody else held the group between: what we know of it is old.
      if (renewed === undefined || renewed.fence !== fence) throw new HoldLost("Another invocation holds the group.");
      until = renewed.until;
      lasts(neededMs);
    },
    lasts,
    release: () => leases.release(name, owner),
  };
}
