import type { Counted } from "../edge/metrics.ts";
import { observedOf } from "./host-acts.ts";
import type { DrainOutcome, HostsRecord } from "./host-notes.ts";
import type { Ended } from "./host-observation.ts";
import type { LifeParts } from "./host-parts.ts";
import type { Done } from "./perform-all.ts";

/** A line for each thing that was done, and for each that was only observed where that is news. */
export async function tellDone(
  parts: LifeParts,
  group: string,
  before: HostsRecord,
  done: readonly Done[],
): Promise<void> {
  for (const [instance, own] of Map.groupBy(done, ({ action }) => action.instance)) {
    const { drain, hostId, observed } = before.instances[instance] ?? {};
    const isKnown = observed === observedOf(own.map(({ action }) => action));
    for (const { action, effect } of own) {
      if (action.kind === "heartbeat" || (effect.observed && isKnown)) continue;
      const host = "hostId" in action ? action.hostId : hostId;
      const saw = {
        instance,
        ...(host === undefined ? {} : { host }),
        ...(drain === undefined ? {} : { drain: drain.phase }),
      };
      await parts.trail.append({
        fleet: group,
        saw,
        decided: action.kind,
        reasons: [action.reason],
        outcome: effect.said,
      });
    }
  }
}

const counted: Readonly<Record<DrainOutcome, Counted | undefined>> = {
  removed: ["Drains", 1, { Outcome: "removed" }],
  cancelled: ["Drains", 1, { Outcome: "cancelled" }],
  stalled: ["Stalled", 1, { What: "drain" }],
  "gone-by-others": undefined,
};

/** A line and a metric for each drain that came to its end. */
export async function tellEnded(parts: LifeParts, group: string, ended: readonly Ended[]): Promise<void> {
  for (const { instance, key, outcome, reason } of ended) {
    const [name, value, own] = counted[outcome] ?? [];
    if (name !== undefined) parts.metrics.count(...([name, value, { ...own, Fleet: group }] as Counted));
    await parts.trail.append({ fleet: group, saw: { instance, key }, decided: "drain", reasons: [reason], outcome });
  }
}
