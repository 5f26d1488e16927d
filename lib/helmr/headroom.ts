import type { Role } from "./observation.ts";

/** The most that one pool may report (the contract). */
const mostAdditional = 1_000;

/** Roles that hold a place of the group and will not become a further active host. */
const spent: readonly Role[] = ["stuck", "draining", "ready", "terminating", "lost_alive", "foreign", "unusable"];

/**
 * Hosts beyond the active ones that the provider can supply: what is on its way stays inside it, because it can still
 * become a host; places that are held by anything else do not (the contract; helmr-notes 3). Where launches fail, the
 * places without an instance are no supply either.
 */
export function headroomOf(max: number, count: Readonly<Record<Role, number>>, launchesFail: boolean): number {
  const held = spent.reduce((sum, role) => sum + count[role], 0);
  const places = max - count.active - held;
  const supply = launchesFail ? Math.min(places, count.in_flight) : places;
  return Math.min(Math.max(supply, 0), mostAdditional);
}
