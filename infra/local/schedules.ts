import { randomUUID } from "node:crypto";
import type { LocalFunctions } from "./lambda/functions.ts";
import type { Invocation } from "./lambda/invocation.ts";

/** EventBridge Scheduler for the template's schedules. */
export type Schedules = {
  /**
   * Runs a function's schedule now, whatever the clock says. While a run of that function goes on this does nothing and
   * gives undefined, unless overlapping is asked for: Scheduler itself does not wait for the run before.
   */
  fire(functionId: string, options?: { overlap?: boolean }): Promise<Invocation | undefined>;
  /** Runs each schedule whose period is over by the clock; once, however many periods passed. */
  runDue(): Promise<Invocation[]>;
  /** Lets schedules run by themselves, `speed` times as often as the template says. */
  start(speed: number): void;
  stop(): void;
};

type Entry = { functionId: string; periodMs: number; input: string | undefined; dueAt: number; runs: number };

export function localSchedules(
  functions: LocalFunctions,
  clock: { now(): number },
  place: { region: string; account: string },
): Schedules {
  const entries: Entry[] = functions.definitions.flatMap(({ id, schedules }) =>
    schedules.map(({ expression, input }) => {
      const periodMs = periodOf(expression);
      return { functionId: id, periodMs, input, dueAt: clock.now() + periodMs, runs: 0 };
    }),
  );
  const timers: NodeJS.Timeout[] = [];

  async function run(entry: Entry, overlap: boolean): Promise<Invocation | undefined> {
    if (entry.runs > 0 && !overlap) return undefined;
    entry.runs += 1;
    try {
      const event = entry.input === undefined ? defaultEvent(entry, clock.now(), place) : JSON.parse(entry.input);
      return await functions.invoke(entry.functionId, event);
    } finally {
      entry.runs -= 1;
    }
  }

  return {
    async fire(functionId, { overlap = false } = {}) {
      const entry = entries.find((each) => each.functionId === functionId);
      if (entry === undefined) throw new Error(`The template has no schedule for ${functionId}.`);
      return run(entry, overlap);
    },
    async runDue() {
      const due = entries.filter((entry) => entry.dueAt <= clock.now());
      for (const entry of due)
        entry.dueAt += entry.periodMs * (1 + Math.floor((clock.now() - entry.dueAt) / entry.periodMs));
      const runs = await Promise.all(due.map((entry) => run(entry, false)));
      return runs.filter((each) => each !== undefined);
    },
    start(speed) {
      for (const entry of entries) timers.push(setInterval(() => void run(entry, false), entry.periodMs / speed));
    },
    stop() {
      for (const timer of timers.splice(0)) clearInterval(timer);
    },
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The period of a `rate(...)` expression in milliseconds; the only kind that the template uses. */
export function periodOf(expression: string): number {
  const [, value, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const periodMs = Number(value) * (UNIT_MS[unit ?? ""] ?? 0);
  if (!(periodMs > 0))
    throw new Error(`The local world runs rate(...) schedules only, and the template has ${expression}.`);
  return periodMs;
}

/** What Scheduler sends to a function when the schedule names no input; `detail` is a string there. */
function defaultEvent({ functionId }: Entry, now: number, at: { region: string; account: string }) {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.scheduler",
    account: at.account,
    time: `${new Date(now).toISOString().slice(0, 19)}Z`,
    region: at.region,
    resources: [`arn:aws:scheduler:${at.region}:${at.account}:schedule/default/${functionId}`],
    detail: "{}",
  };
}
