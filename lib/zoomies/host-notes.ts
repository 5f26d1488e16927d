/** How a scale-in stands (issue's words: candidate, cordoned, seen empty, seen empty again, terminating, gone). */
export type DrainPhase =
  /** Intent to cordon; the call may or may not have landed. */
  | "cordoning"
  | "cordoned"
  /** Seen empty once, late enough after the cordon. */
  | "empty"
  /** Intent to terminate; the call may or may not have landed, so there is no way back. */
  | "terminating"
  /** Auto Scaling has taken the instance; its host row is still there. */
  | "terminated"
  /** Intent to give the host back. */
  | "uncordoning";

export type DrainOutcome = "removed" | "cancelled" | "gone-by-others" | "stalled";

/** One host on its way out: an operation with its key, phase and deadline (design: rule 2). Times in ms since the epoch. */
export interface Drain {
  readonly key: string;
  readonly phase: DrainPhase;
  readonly hostId: string;
  readonly startedAt: number;
  /** When the phase was entered; what was seen before it says nothing of it. */
  readonly changedAt: number;
  readonly cordonedAt?: number;
  readonly emptyAt?: number;
  /** What the way back will be called, and why it was taken. */
  readonly back?: { readonly outcome: DrainOutcome; readonly reason: string };
}

/** What Drover knows of one instance beyond what EC2 and Zoomies say now. */
export interface InstanceNotes {
  /** First seen in the group: Drover's own clock of its age. */
  readonly seenAt: number;
  /** Its host's id, the key once known: hosts can be renamed (zoomies-notes 4). */
  readonly hostId?: string;
  /** Since when every look found nothing but idle runners on it: the idle clock, which no sender keeps for us. */
  readonly idleSince?: number;
  readonly drain?: Drain;
  /** Since when a terminating instance without a host was seen to have none. */
  readonly hostlessSince?: number;
  readonly heartbeatAt?: number;
  /** The last intent to end its launch or termination wait. */
  readonly answeredAt?: number;
  /** First seen outside the group. */
  readonly leftAt?: number;
  /** What would have been done about it at the last look, while Drover only observes. */
  readonly observed?: string;
}

/** One item a group: Drover's memory of its hosts. Written under the group's lease. */
export interface HostsRecord {
  readonly instances: Readonly<Record<string, InstanceNotes>>;
  /** The last look that saw all of Zoomies; a gap after it stops every idle clock. */
  readonly lookedAt: number;
  /** Launches abandoned in a row. */
  readonly abandons: { readonly count: number; readonly lastAt: number };
}

export const emptyHostsRecord: HostsRecord = { instances: {}, lookedAt: 0, abandons: { count: 0, lastAt: 0 } };

export const hostsKey = (group: string) => ({ pk: `hosts#${group}`, sk: "record" });
