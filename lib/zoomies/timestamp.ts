const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A moment with all nine fraction digits that the sender may give: `text` compares in time's order. */
export interface Timestamp {
  readonly text: string;
  /** Milliseconds since the epoch, the digits below dropped. */
  readonly ms: number;
}

/**
 * Reads an RFC 3339 timestamp with 0 to 9 fraction digits, the sender's form (zoomies-notes 1). Undefined when the text
 * is not one, or names a date that does not exist.
 */
export function readTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", offset = "Z"] = match;
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  // Date.UTC carries 30 February over into March; what comes back then differs from what was written.
  if (new Date(utc).toISOString().slice(0, 19) !== text.slice(0, 19)) return undefined;
  const seconds = utc - offsetMs(offset);
  const whole = new Date(seconds).toISOString().slice(0, -".000Z".length);
  // An offset can lead past the year 9999, whose text would not be in time's order any more.
  if (whole.length !== "2026-09-05T12:00:00".length) return undefined;
  const digits = fraction.padEnd(9, "0");
  return {
    text: `${whole}.${digits}Z`,
    ms: seconds + Number(digits.slice(0, 3)),
  };
}

function offsetMs(offset: string): number {
  if (offset === "Z") return 0;
  const sign = offset.startsWith("-") ? -1 : 1;
  return sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6))) * 60_000;
}
