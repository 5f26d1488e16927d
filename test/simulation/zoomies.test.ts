import { expect, test } from "vitest";
import { playSeeds } from "./many-seeds.ts";
import { zoomiesMutants } from "./mutants/zoomies/list.ts";
import { simulate } from "./runner.ts";
import { sharedGroupTrap } from "./zoomies/shared-group-trap.ts";

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const longMs = 600_000;

test(
  "in 300 seeds no job is ended by Drover, every job runs, and every group comes back to its floor",
  async () => {
    const verdicts = await playSeeds({ world: "zoomies", mutant: undefined, seeds: seeds(300), atOnce: 2 });
    const broken = verdicts.filter(({ violations }) => violations.length > 0);
    const again = broken.map(({ seed, violations }) => ({
      again: `npm run simulate -- --world zoomies --seed ${seed}`,
      violations,
    }));
    expect(again).toEqual([]);
    expect(verdicts.length).toBe(300);
  },
  longMs,
);

test("an idle pool and a busy one on the same hosts: what is busy stays, whatever the idle pool offers", async () => {
  for (const seed of seeds(10)) {
    const seen = { offers: 0, leastHosts: Number.POSITIVE_INFINITY };
    const verdict = await simulate(sharedGroupTrap(seen), seed);
    expect(verdict.violations, `seed ${seed}`).toEqual([]);
    expect(seen.offers, `seed ${seed}`).toBeGreaterThan(5);
    expect(seen.leastHosts, `seed ${seed}`).toBe(3);
  }
});

/** One of each kind; the whole list is played by `npm run simulate -- --world zoomies --mutants`. */
const played = [
  "runners are not looked at",
  "no look at the host before a terminate",
  "an uncordon is not made sure of",
  "lost demand is not made up for",
];

test.each(played)(
  "the simulation notices a changed rule: %s",
  async (mutant) => {
    expect(zoomiesMutants.map(({ name }) => name)).toContain(mutant);
    const verdicts = await playSeeds({ world: "zoomies", mutant, seeds: seeds(60), atOnce: 2, untilBroken: true });
    expect(verdicts.flatMap(({ violations }) => violations)).not.toEqual([]);
  },
  longMs,
);
