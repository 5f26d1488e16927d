import type { Clock } from "../edge/clock.ts";
import type { Records } from "./records.ts";

/** Things that failed and are left alone for a while, kept across cold starts (cases.md 44). */
export interface CoolOffs {
  start(name: string, forMs: number): Promise<void>;
  /** Until when each of the named is left alone, milliseconds since the epoch; those that are not are absent. */
  running(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

interface CoolOff {
  readonly until: number;
}

const keyOf = (name: string) => ({ pk: `cool-off#${name}`, sk: "cool-off" });

export function ledgerCoolOffs(records: Records, clock: Clock): CoolOffs {
  return {
    async start(name, forMs) {
      // Whoever finds one running leaves it: it began a moment ago, for the same reason.
      await records.create<CoolOff>(keyOf(name), { until: clock.now() + forMs }, { lifeMs: forMs });
    },
    async running(names) {
      const stored = await records.readAll<CoolOff>(names.map(keyOf));
      const until = names.map((name, index) => [name, stored[index]?.value.until ?? 0] as const);
      return new Map(until.filter(([, time]) => time > clock.now()));
    },
  };
}
