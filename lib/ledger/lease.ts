/**
 * The right to change one group (design: a group has one writer at a time). It ends by itself at `until`; `fence` grows
 * with every holder, so that what an earlier holder left can be told from what the present one did.
 */
export interface Lease {
  readonly owner: string;
  readonly fence: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export const isHeld = (lease: Lease | undefined, now: number): lease is Lease =>
  lease !== undefined && lease.until > now;

/** The lease that `owner` would hold, or undefined while somebody else's runs. Taking one's own again renews it. */
export function take(lease: Lease | undefined, owner: string, now: number, forMs: number): Lease | undefined {
  if (isHeld(lease, now) && lease.owner !== owner) return undefined;
  const fence = lease === undefined ? 1 : lease.owner === owner ? lease.fence : lease.fence + 1;
  return { owner, fence, until: now + forMs };
}

/** The same lease, ended. Its fence stays, for the next holder to go beyond. */
export const release = (lease: Lease): Lease => ({ ...lease, until: 0 });
