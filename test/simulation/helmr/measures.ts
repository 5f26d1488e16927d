import { chance } from "../chance.ts";
import { playQuietly } from "./quiet-scene.ts";

const longMs = 24 * 3_600_000;
const minuteMs = 60_000;

/**
 * Milliseconds from a change that Helmr commits to the SetDesiredCapacity that follows it, one for each of `samples`
 * demands that come at any moment while an invocation lives.
 */
export async function raiseLatencies(seed: number, samples: number): Promise<number[]> {
  const found: number[] = [];
  await playQuietly(seed, { max: samples + 20, jitterMs: 20_000 }, async ({ cloud, time, served, pass }) => {
    const luck = chance(seed + 1_000_000);
    let askedAt: number | undefined;
    cloud.on((event) => {
      if (event.type !== "desired-capacity" || event.operation !== "SetDesiredCapacity" || askedAt === undefined)
        return;
      found.push(time.now() - askedAt);
      askedAt = undefined;
    });
    const submitTwo = () => {
      // Two of these fill one host, so that each demand needs a new one.
      for (const _ of [1, 2]) served.workload.submit({ kind: "build", durationMs: longMs });
    };
    // The first host seals the pool and is full before the first sample.
    await pass(3 * minuteMs);
    submitTwo();
    await pass(minuteMs);
    for (let sample = 0; sample < samples; sample += 1) {
      if (askedAt !== undefined) throw new Error(`Sample ${sample} of seed ${seed} raised nothing.`);
      askedAt = time.now();
      submitTwo();
      await pass(luck.whole(15_000, 75_000));
    }
  });
  return found;
}

/** Which part of 20 minutes had fresh evidence: while the group grows with its work, and while it is at its maximum. */
export async function freshness(
  seed: number,
  phase: "growing" | "full",
): Promise<{ byAge: number; byTopology: number }> {
  let result = { byAge: 0, byTopology: 0 };
  const max = phase === "growing" ? 60 : 4;
  await playQuietly(seed, { max, jitterMs: 45_000 }, async ({ model, time, served, pass, cloud }) => {
    await pass(4 * minuteMs);
    if (phase === "full") {
      for (let item = 0; item < 12; item += 1) served.workload.submit({ kind: "build", durationMs: longMs });
      await pass(6 * minuteMs);
      if (cloud.group("default-0")?.DesiredCapacity !== max) throw new Error("The group is not at its maximum.");
    }
    const from = time.now();
    const until = from + 20 * minuteMs;
    const luck = chance(seed + 2_000_000);
    while (time.now() < until) {
      if (phase === "growing") served.workload.submit({ kind: "build", durationMs: longMs });
      await pass(Math.min(luck.whole(10_000, 60_000), until - time.now()));
    }
    const share = (by: "age" | "age-and-topology") => model.freshShare(served.group.id, from, until, by);
    result = { byAge: share("age"), byTopology: share("age-and-topology") };
  });
  return result;
}

/** Of a sorted list, the value below which this part (0 to 1) lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
