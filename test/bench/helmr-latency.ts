import { freshness, percentile, raiseLatencies } from "../simulation/helmr/measures.ts";

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
const samplesEach = 40;
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** From Helmr's commit to SetDesiredCapacity, on a virtual clock with the latencies of one region. */
export async function latencyRows(): Promise<string[]> {
  const all: number[] = [];
  for (const seed of seeds) all.push(...(await raiseLatencies(seed, samplesEach)));
  const at = (part: number) => seconds(percentile(all, part));
  return [
    `${all.length} demands: median ${at(0.5)} (limit 1 s), p90 ${at(0.9)}, p99 ${at(0.99)} (limit 3 s), longest ${at(1)}`,
  ];
}

/** Fresh evidence over 20 simulated minutes, schedules up to 45 s late. */
export async function freshnessRows(): Promise<string[]> {
  const rows: string[] = [];
  for (const phase of ["growing", "full"] as const) {
    const shares: { byAge: number; byTopology: number }[] = [];
    for (const seed of seeds) shares.push(await freshness(seed, phase));
    const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
    const least = (by: "byAge" | "byTopology") => percent(Math.min(...shares.map((share) => share[by])));
    rows.push(
      `${phase}: fresh at least ${least("byAge")} of 20 minutes (limit 99 %), ${least("byTopology")} with each change of supply ending it`,
    );
  }
  return rows;
}
