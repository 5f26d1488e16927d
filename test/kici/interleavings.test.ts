import { test } from "vitest";
import { expectNothingWrong } from "./interleavings-check.ts";
import type { Scenario } from "./interleavings-walk.ts";

const timeout = 3 * 3_600_000;
const lag = { describeLagMs: 60_000 };

// After every schedule time passes and the reaper runs; what must hold then is in interleavings-walk.ts.
const scenarios: readonly [string, Scenario][] = [
  ["a scale-up and its scale-down", { acts: ["up", "down"], mishaps: 1, canWait: true }],
  [
    "a scale-up and its scale-down, while EC2 does not show what it launched",
    { acts: ["up", "down"], mishaps: 1, canWait: true, ...lag },
  ],
  [
    "a scale-up that needs its second offering, and its scale-down",
    { acts: ["up", "down"], mishaps: 1, firstIsFull: true },
  ],
  ["a scale-up that comes twice", { acts: ["up", "up"], mishaps: 1, canWait: true }],
];

test.each(scenarios)("%s: every order, with a crash or a lost reply at each point", expectNothingWrong, timeout);
