import type { Drain, HostsRecord, InstanceNotes } from "./host-notes.ts";
import type { Ended } from "./host-observation.ts";

/** What performing an action changed in what we know. */
export interface Effect {
  readonly said: string;
  /** Whether the action did not do what it was for, through no decision of ours. */
  readonly failed?: boolean;
  /** Nothing was sent, because Drover only observes. */
  readonly observed?: boolean;
  readonly drain?: Partial<Drain> | "over";
  readonly hostId?: string;
  readonly abandoned?: boolean;
  readonly ended?: Omit<Ended, "instance" | "key">;
}

/** The record after an action's effect on one instance. */
export function applyEffect(record: HostsRecord, instance: string, effect: Effect, now: number): HostsRecord {
  const notes = record.instances[instance];
  if (notes === undefined) return record;
  const { drain, ...rest } = notes;
  const after: InstanceNotes = {
    ...rest,
    ...(effect.hostId === undefined ? {} : { hostId: effect.hostId }),
    ...(drain === undefined || effect.drain === "over" ? {} : { drain: changed(drain, effect.drain, now) }),
  };
  return {
    ...record,
    instances: { ...record.instances, [instance]: after },
    ...(effect.abandoned ? { abandons: { count: record.abandons.count + 1, lastAt: now } } : {}),
  };
}

function changed(drain: Drain, change: Partial<Drain> | undefined, now: number): Drain {
  return change === undefined ? drain : { ...drain, ...change, changedAt: now };
}
