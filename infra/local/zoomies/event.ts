/** A capacity event as the sender builds it: all eleven keys, in the sender's order (contract; notes 1). */
export type CapacityEvent = {
  schema_version: number;
  event_id: string;
  type: "capacity_demand" | "scale_down_opportunity";
  timestamp: string;
  pool_id: string;
  host_selector: Readonly<Record<string, string>> | null;
  backend: string;
  /** Runner slots: 1 or more for demand, -1 or less for a scale-down. */
  required_runner_slots: number;
  /** Runner slots of every host that could run the pool. */
  current_capacity: number;
  queued_job_count: number;
  oldest_queue_age_seconds: number;
};

/** The sender's exact bytes: compact, selector keys sorted, HTML-safe escapes as Go's marshaller has them, no newline. */
export function encodeEvent(event: CapacityEvent): Buffer {
  const ordered: CapacityEvent = {
    schema_version: event.schema_version,
    event_id: event.event_id,
    type: event.type,
    timestamp: event.timestamp,
    pool_id: event.pool_id,
    host_selector: event.host_selector === null ? null : sortedByKey(event.host_selector),
    backend: event.backend,
    required_runner_slots: event.required_runner_slots,
    current_capacity: event.current_capacity,
    queued_job_count: event.queued_job_count,
    oldest_queue_age_seconds: event.oldest_queue_age_seconds,
  };
  const escaped = JSON.stringify(ordered).replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return Buffer.from(escaped);
}

function sortedByKey(selector: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(selector).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** An identifier of so many characters of a-z and 2-7, each drawn from `random` (0 to below 1). */
export function base32Id(characters: number, random: () => number): string {
  return Array.from({ length: characters }, () => BASE32[Math.floor(random() * 32)]).join("");
}

/** Twelve random bytes in base32 without padding are twenty characters (notes 1). */
export const newEventId = (random: () => number): string => base32Id(20, random);

/**
 * An instant as Go writes it in UTC: RFC 3339 with up to nine fraction digits, trailing zeros trimmed, no point when none
 * is left. `nanoseconds` are those beyond the millisecond, 0 to 999,999.
 */
export function goTimestamp(epochMs: number, nanoseconds = 0): string {
  const text = new Date(epochMs).toISOString();
  const fraction = `${text.slice(20, 23)}${String(nanoseconds).padStart(6, "0")}`.replace(/0+$/, "");
  return `${text.slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}Z`;
}
