/** A length of time in seconds: fixed, or drawn evenly between two bounds. */
export type Seconds = number | readonly [number, number];

/** How long the simulated AWS takes; the defaults are what a small Linux instance typically shows. */
export interface Timings {
  /** From a changed wish to the group acting on it. */
  decide: Seconds;
  /** EC2 `pending` to `running`. */
  boot: Seconds;
  /** `running` to `InService` (or to `Pending:Wait` where a launch hook holds the instance). */
  enterService: Seconds;
  /** EC2 `shutting-down` to `terminated`, and `stopping` to `stopped`. */
  shutdown: Seconds;
  /** From an instance's loss to the group's health check noticing it. */
  healthCheck: Seconds;
  /** How long a terminated instance stays visible; AWS says about an hour. */
  terminatedVisible: Seconds;
  /** How long a client token outlives its instances; AWS says at least a day. */
  tokenKept: Seconds;
  /** First pause after a failed launch; doubles up to `launchRetryLimit`. */
  launchRetry: Seconds;
  launchRetryLimit: Seconds;
}

export const defaultTimings: Timings = {
  decide: 3,
  boot: 15,
  enterService: 5,
  shutdown: 30,
  healthCheck: 30,
  terminatedVisible: 3600,
  tokenKept: 86_400,
  launchRetry: 30,
  launchRetryLimit: 900,
};

/** One length in whole milliseconds. */
export function drawMs(seconds: Seconds, random: () => number): number {
  if (typeof seconds === "number") return Math.round(seconds * 1000);
  const [low, high] = seconds;
  return Math.round((low + (high - low) * random()) * 1000);
}
