/** The time as decisions and records see it: milliseconds since the Unix epoch. Tests and the simulator bring their own. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
