import type { Region } from "./region.ts";

/** One span of time in which new execution could be admitted against provider headroom, in epoch milliseconds. */
export interface FreshSpan {
  readonly from: number;
  /** When age alone ends it: the observation's time and 30 s. */
  readonly expires: number;
  /** When the group's supply changed under it, if it did. */
  changed?: number;
}

/** The capacity evidence of a group: the newest accepted headroom, and all spans so far. */
export interface Evidence {
  readonly spans: FreshSpan[];
  headroom: ReadonlyMap<string, number>;
}

export function recordEvidence(
  region: Region,
  groupId: string,
  observedAt: number,
  headroom: ReadonlyMap<string, number>,
): void {
  const evidence = region.evidence.get(groupId) ?? { spans: [], headroom };
  evidence.headroom = headroom;
  evidence.spans.push({ from: region.now(), expires: observedAt + region.settings.evidenceMaxAgeMs });
  region.evidence.set(groupId, evidence);
}

/** Topology changed: old provider headroom can no longer be relied on (contract, Resolve and plan). */
export function supplyChanged(region: Region, groupId: string): void {
  const last = region.evidence.get(groupId)?.spans.at(-1);
  if (last !== undefined) last.changed ??= region.now();
}

/** The headroom that new execution may rely on now, by pool, or undefined when the evidence is stale. */
export function freshHeadroom(region: Region, groupId: string): ReadonlyMap<string, number> | undefined {
  const evidence = region.evidence.get(groupId);
  const last = evidence?.spans.at(-1);
  if (evidence === undefined || last === undefined) return undefined;
  return last.changed === undefined && region.now() <= last.expires ? evidence.headroom : undefined;
}

export type Freshness = "age" | "age-and-topology";

/**
 * Which part (0 to 1) of from..to had fresh evidence: by age alone, or with each change of supply ending it until the next
 * accepted plan.
 */
export function freshShare(spans: readonly FreshSpan[], from: number, to: number, by: Freshness): number {
  let covered = 0;
  let reached = from;
  for (const [index, span] of spans.entries()) {
    // Newer evidence takes the place of older: a change that ends the one ends the other too.
    const replaced = spans[index + 1]?.from ?? span.expires;
    const end = by === "age" ? span.expires : Math.min(span.expires, span.changed ?? span.expires, replaced);
    const start = Math.max(span.from, reached);
    if (end <= start || start >= to) continue;
    reached = Math.min(end, to);
    covered += reached - start;
  }
  return to > from ? covered / (to - from) : 0;
}
