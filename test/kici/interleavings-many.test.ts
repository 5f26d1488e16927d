import { test } from "vitest";
import { expectNothingWrong, isThorough } from "./interleavings-check.ts";
import type { Scenario } from "./interleavings-walk.ts";

const timeout = 3 * 3_600_000;
const lag = { describeLagMs: 60_000 };

const scenarios: readonly [string, Scenario][] = [
  ["a scale-down that comes twice", { before: ["up"], acts: ["down", "down"], mishaps: 1 }],
  [
    "a scale-down that comes twice, while EC2 does not show the instance",
    { before: ["up"], acts: ["down", "down"], mishaps: 1, ...lag },
  ],
  ["a scale-up beside a reaper run", { acts: ["up", "reap"], mishaps: 1, canWait: true }],
  ["a scale-down beside a reaper run", { before: ["up"], acts: ["down", "reap"], mishaps: 1 }],
];

/** Three at once, which may all be ended by their timeout; without other mishaps, unless there is time for them. */
const three: readonly [string, Scenario][] = [
  ["a scale-up, its redelivery and the scale-down", { acts: ["up", "up", "down"], mishaps: 0, canWait: true }],
];

const large: readonly [string, Scenario][] = [
  ["a scale-up, its scale-down and a reaper run", { acts: ["up", "down", "reap"], mishaps: 0 }],
  ["a scale-up and two scale-downs", { acts: ["up", "down", "down"], mishaps: 0 }],
];

test.each(scenarios)("%s: every order, with a crash or a lost reply at each point", expectNothingWrong, timeout);
test.each([...three, ...(isThorough ? large : [])])("%s: every order", expectNothingWrong, timeout);
