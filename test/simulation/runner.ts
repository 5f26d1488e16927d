import { type Chance, chance } from "./chance.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

/** What a world gets to play with. */
export interface Stage {
  readonly seed: number;
  readonly time: VirtualTime;
  readonly chance: Chance;
  /** Notes what happened, for whoever replays the seed; a function is called only when somebody listens. */
  tell(line: string | (() => string)): void;
}

/** One seed's play. Everything in it happens through the stage's time. */
export interface Play {
  /** The last instant, in epoch milliseconds. */
  readonly endsAt: number;
  /** What became false since the last step; called after every step. */
  broken(): readonly string[];
  /** What must hold at the end and does not. */
  brokenAtEnd(): readonly string[] | Promise<readonly string[]>;
}

/** A protocol's world: real code of ours, simulated peers, and what must always hold. */
export interface SimulatedWorld {
  readonly name: string;
  begin(stage: Stage): Play | Promise<Play>;
}

export interface Verdict {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly steps: number;
  readonly simulatedMs: number;
}

/** 1 September 2026, noon UTC: where every play begins. */
const startMs = Date.UTC(2026, 8, 1, 12);
/** A play that goes on without its time going on is broken, not long. */
const mostStepsAtOnce = 100_000;

/** Plays one seed to its end or to the first step that broke something. Two plays of one seed are the same. */
export async function simulate(world: SimulatedWorld, seed: number, tell?: (line: string) => void): Promise<Verdict> {
  const time = virtualTime(startMs);
  const giveTimersBack = time.takeTimers();
  const story = (line: string | (() => string)) =>
    tell?.(`${stamp(time.now() - startMs)}  ${typeof line === "string" ? line : line()}`);
  let steps = 0;
  const verdict = (violations: readonly string[]): Verdict => {
    const at = stamp(time.now() - startMs);
    return {
      seed,
      violations: violations.map((each) => `${at} ${each}`),
      steps,
      simulatedMs: time.now() - startMs,
    };
  };
  try {
    const play = await world.begin({ seed, time, chance: chance(seed), tell: story });
    let stepsAtOnce = 0;
    for (;;) {
      const next = time.next();
      if (next === undefined || next > play.endsAt) break;
      stepsAtOnce = next === time.now() ? stepsAtOnce + 1 : 0;
      if (stepsAtOnce > mostStepsAtOnce) return verdict(["time stands still"]);
      await time.step();
      steps += 1;
      const broken = play.broken();
      if (broken.length > 0) return verdict(broken);
    }
    return verdict(await play.brokenAtEnd());
  } finally {
    giveTimersBack();
  }
}

/** `h:mm:ss.mmm` since the beginning. */
function stamp(ms: number): string {
  const text = new Date(ms).toISOString();
  return `${Math.floor(ms / 3_600_000)}:${text.slice(14, 23)}`;
}
