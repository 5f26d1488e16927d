import { type BenchWorld, benchSecret, startBenchWorld } from "./bench-world.ts";
import { callsPerEvent } from "./calls-per-event.ts";
import { coldStartRow, compareColdStarts } from "./cold-start.ts";
import { freshnessRows, latencyRows } from "./helmr-latency.ts";
import { scaleRows } from "./helmr-scale.ts";
import { hostRunLine, hostRuns } from "./host-runs.ts";
import { benchKici } from "./kici.ts";
import { warmMicroseconds } from "./warm-request.ts";

/** What issue-independent limits the ratios are held against; a bench reports, it does not fail. */
const importLimit = 4.5;
const totalLimit = 3.3;

async function webhook(world: BenchWorld): Promise<void> {
  console.log("\nZoomies webhook: cold start");
  const ours = await world.contestant("webhook", "functions/zoomies-webhook.ts");
  const floor = await world.contestant("floor", "test/bench/floor/webhook.ts");
  const rows = await compareColdStarts(ours, floor, { samples: 31 });
  console.log(coldStartRow(rows));
  const [a, b] = rows;
  const verdict = (ratio: number, limit: number) => `${ratio.toFixed(2)}x of at most ${limit}x`;
  console.log(
    `import ${verdict(a.importMs / b.importMs, importLimit)}, total ${verdict(a.totalMs / b.totalMs, totalLimit)}`,
  );

  console.log("\nZoomies webhook: warm request, transport stubbed");
  console.log(`median ${(await warmMicroseconds(ours, benchSecret)).toFixed(0)} microseconds`);

  console.log("\nZoomies webhook: AWS calls per event, in a cold environment");
  for (const { what, describes, raises, ledger } of await callsPerEvent()) {
    console.log(`${what}: ${describes} Describe, ${raises} SetDesiredCapacity, ${ledger} DynamoDB`);
  }
}

const world = await startBenchWorld();
try {
  await webhook(world);
  await benchKici();
} finally {
  await world.close();
}

console.log("\nZoomies hosts: 500 of them in 20 groups, 100 idle");
for (const run of await hostRuns()) console.log(hostRunLine(run));

console.log("\nHelmr: from a committed change to SetDesiredCapacity while an invocation lives, on a virtual clock");
for (const row of await latencyRows()) console.log(row);

console.log("\nHelmr: fresh capacity evidence in 20 simulated minutes");
for (const row of await freshnessRows()) console.log(row);

console.log("\nHelmr: what a cycle costs, real clients against loopback");
for (const row of await scaleRows()) console.log(row);
