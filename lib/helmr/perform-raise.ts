import type { Decision } from "./decision.ts";
import type { LastRaise, PoolMemory } from "./group-memory.ts";
import type { HelmrParts } from "./parts.ts";
import { mayMutate, type Session } from "./session.ts";

/** What became of a raise; `moved` when the group was no longer as it was decided on, and nothing was sent. */
export type RaiseResult =
  | "accepted"
  | "unknown"
  | "moved"
  | "observed"
  | { readonly refused: string; readonly kind: string };

/**
 * Raises one group by an absolute write, once: under the lease, after a Describe made under it, with the raise in the
 * ledger before it leaves (design: rules 2 and 3). Never above MaxSize, never below what the group has (invariant 21).
 */
export async function performRaise(
  parts: HelmrParts,
  session: Session,
  raise: NonNullable<Decision["raise"]>,
): Promise<RaiseResult> {
  const { group } = raise.pool;
  await mayMutate(parts, session);
  const fresh = await parts.groups.named(group.name);
  const isSame = fresh !== undefined && fresh.desired === group.desired && fresh.max === group.max;
  if (!isSame || raise.to <= fresh.desired || raise.to > fresh.max) return "moved";
  return parts.acts.raise(parts, session, raise);
}

/** Records the raise, sends it once, and records what became of it. */
export async function sendRaise(
  parts: HelmrParts,
  session: Session,
  raise: NonNullable<Decision["raise"]>,
): Promise<RaiseResult> {
  const { group } = raise.pool;
  const at = parts.clock.now();
  await remember(session, group.name, { to: raise.to, at, outcome: "sent" });
  session.hold.lasts(parts.settings.mutationTimeoutMs * 2);
  const sent = await parts.groups.raise(group.name, raise.to);
  if (sent.outcome === "observed") return "observed";
  await remember(session, group.name, { to: raise.to, at, outcome: sent.outcome });
  return sent.outcome === "refused" ? { refused: sent.code, kind: sent.kind } : sent.outcome;
}

async function remember({ memory }: Session, group: string, lastRaise: LastRaise): Promise<void> {
  const pool: PoolMemory = { ...memory.value.pools[group], lastRaise };
  await memory.save({ pools: { ...memory.value.pools, [group]: pool } });
}
