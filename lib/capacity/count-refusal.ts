import type { Counted, Metrics } from "../edge/metrics.ts";
import { errorKind } from "./error-codes.ts";

/** A call that did not do what it was for, by its code: for a person where AWS denied it, else for time to mend. */
export function refusal(code: string, properties: Readonly<Record<string, string>> = {}): Counted {
  const kind = errorKind(code);
  if (kind === "denied") return ["ConfigError", 1, { ...properties, Code: code }];
  return ["CallFailed", 1, { ...properties, Code: code, Outcome: kind === "throttled" ? "throttled" : "failed" }];
}

/** Counts it. `needsPerson` where the caller knows better than the code does. */
export function countRefusal(
  metrics: Metrics,
  code: string,
  properties: Readonly<Record<string, string>> = {},
  needsPerson = false,
): void {
  if (needsPerson) metrics.count("ConfigError", 1, { ...properties, Code: code });
  else metrics.count(...refusal(code, properties));
}
