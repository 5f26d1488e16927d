import type { Chance } from "../chance.ts";
import { minute } from "./setting.ts";
import { isCalm, type ZoomiesStage } from "./stage-parts.ts";

/** How one machine's user data and agent behave. */
export interface Ways {
  readonly asksAfterMs: number;
  /** From a token to its redemption. */
  readonly startsAfterMs: number;
  readonly neverAsks: boolean;
  readonly neverStarts: boolean;
  readonly incompatible: boolean;
  /** Whether it uses its token behind the look that gives it up, or behind its end. */
  readonly tardy: "look" | "end" | undefined;
}

export function drawWays(stage: ZoomiesStage, chance: Chance): Ways {
  const bad = isCalm(stage) ? 0 : stage.setting.hazards.badMachine;
  const slow = chance.is(bad);
  const tardy =
    !isCalm(stage) && chance.is(stage.setting.hazards.tardy) ? chance.pick(["look", "end"] as const) : undefined;
  return {
    asksAfterMs: tardy ? chance.between(6.5, 9.5) * minute : chance.between(2_000, slow ? 12 * minute : 60_000),
    startsAfterMs: chance.between(1_000, slow ? 6 * minute : 40_000),
    neverAsks: chance.is(bad / 3),
    neverStarts: chance.is(bad / 2),
    incompatible: chance.is(bad / 6),
    tardy,
  };
}
