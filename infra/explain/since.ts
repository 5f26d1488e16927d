import { UsageError } from "../cli/usage-error.ts";

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment, milliseconds since the epoch: so long before `now` (90s, 30m, 1h, 7d), or a time in RFC 3339. */
export function sinceOf(text: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const length = units[unit];
  if (count !== undefined && length !== undefined) return now - Number(count) * length;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError("--since must be a length such as 30m, 1h or 7d, or a time in RFC 3339.");
  return time;
}
