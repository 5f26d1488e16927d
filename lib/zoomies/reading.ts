import type { AnyReading } from "../ledger/readings.ts";
import type { CapacityEvent } from "./event.ts";

/** What a pool said of itself at one moment: a reading, never an increment (the contract). Counts are runner slots. */
export interface PoolReading extends AnyReading {
  readonly type: CapacityEvent["type"];
  /** The sender's time, milliseconds since the epoch. */
  readonly at: number;
  /** Eligible slots Zoomies counted. */
  readonly capacity: number;
  /** Slots missing when above 0, removable when below. */
  readonly required: number;
  /** What a host must offer to count, kept because the group's tags may change before the reading is settled. */
  readonly backend: string;
  readonly hostSelector: Readonly<Record<string, string>>;
}

export function readingOf(event: CapacityEvent): PoolReading {
  return {
    order: `${event.timestamp.text}#${event.eventId}`,
    eventId: event.eventId,
    type: event.type,
    at: event.timestamp.ms,
    capacity: event.currentCapacity,
    required: event.requiredRunnerSlots,
    backend: event.backend,
    hostSelector: event.hostSelector,
  };
}

/** Whether `after` holds a demand that `before` did not: it may need the very host that was to go. */
export function isNewerDemand(
  before: Readonly<Record<string, PoolReading>>,
  after: Readonly<Record<string, PoolReading>>,
): boolean {
  return Object.entries(after).some(
    ([pool, reading]) => reading.type === "capacity_demand" && before[pool]?.order !== reading.order,
  );
}
