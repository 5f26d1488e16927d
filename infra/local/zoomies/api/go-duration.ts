const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A Go duration such as `15m` or `1h30m` in milliseconds; undefined for anything else and for what is not positive. */
export function goDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|m|s|ms))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, value, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    total += Number(value) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return total > 0 ? total : undefined;
}
