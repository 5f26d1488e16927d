import { expect } from "vitest";
import { type Explored, explore } from "./interleavings-explorer.ts";
import { kiciWalk, type Scenario } from "./interleavings-walk.ts";

/** A pause of the code's own is over at once here: every order of the calls around it is walked anyway. */
const longestPauseMs = 1_000;

/** Set to look at more: another mishap in every schedule, and larger scenarios. It takes hours. */
export const isThorough = process.env["DROVER_INTERLEAVINGS"] === "thorough";

/** Walks through every schedule of a scenario, prints how many there were, and fails with the first that went wrong. */
export async function expectNothingWrong(name: string, given: Scenario): Promise<void> {
  const scenario = isThorough ? { ...given, mishaps: given.mishaps + 1 } : given;
  const explored = await withoutPauses(() => explore(() => kiciWalk(scenario)));
  const { schedules, states, runs, violation } = explored;
  console.log(`${name}: ${schedules.toLocaleString("en")} schedules over ${states} states, in ${runs} runs`);
  expect(violation).toBeUndefined();
}

/** Deadlines never come, because no time passes in a schedule. Errors are thrown by the thousand, and nobody reads their stacks. */
async function withoutPauses(work: () => Promise<Explored>): Promise<Explored> {
  const { setTimeout: timeout } = globalThis;
  const { stackTraceLimit } = Error;
  const atOnce = (run: () => void, ms = 0) => {
    if (ms <= longestPauseMs) queueMicrotask(run);
  };
  globalThis.setTimeout = atOnce as unknown as typeof timeout;
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    globalThis.setTimeout = timeout;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
