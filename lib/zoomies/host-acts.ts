import type { Effect } from "./host-effects.ts";
import type { HostsRecord, InstanceNotes } from "./host-notes.ts";
import type { HostAction, HostsDecision } from "./host-observation.ts";
import { type Performing, performHostAction } from "./perform-host-action.ts";

/** How what was decided about hosts is carried out. */
export interface HostActs {
  /** What the ledger holds before the first action leaves. */
  intents(before: HostsRecord, decision: HostsDecision): HostsRecord;
  perform(doing: Performing, action: HostAction): Promise<Effect>;
}

export const hostActs: HostActs = {
  intents: (_before, { record }) => record,
  perform: performHostAction,
};

/**
 * Carries nothing out. What a decision remembers of its own actions is left as it was, so that no drain, answer or
 * heartbeat counts as begun; what was seen is remembered as ever.
 */
export const observingHostActs: HostActs = {
  intents(before, { record, actions }) {
    const instances: Record<string, InstanceNotes> = { ...record.instances };
    for (const [instance, own] of Map.groupBy(actions, (action) => action.instance)) {
      const after = instances[instance];
      if (after !== undefined) instances[instance] = seenOnly(before.instances[instance], after, observedOf(own));
    }
    return { ...record, instances };
  },
  perform: async () => ({ said: "observed", observed: true }),
};

/** What would be done about one instance, in short: told again only when that changes. Undefined for heartbeats alone. */
export function observedOf(actions: readonly HostAction[]): string | undefined {
  const told = actions.filter(({ kind }) => kind !== "heartbeat");
  return told.length === 0 ? undefined : told.map(({ kind, reason }) => `${kind}: ${reason}`).join("; ");
}

function seenOnly(before: InstanceNotes | undefined, after: InstanceNotes, observed: string | undefined) {
  const { drain: _intent, answeredAt: _answer, heartbeatAt: _beat, ...seen } = after;
  return {
    ...seen,
    ...(before?.drain === undefined ? {} : { drain: before.drain }),
    ...(before?.answeredAt === undefined ? {} : { answeredAt: before.answeredAt }),
    ...(before?.heartbeatAt === undefined ? {} : { heartbeatAt: before.heartbeatAt }),
    ...(observed === undefined ? {} : { observed }),
  };
}
