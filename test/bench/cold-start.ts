import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** A built function, with the environment that it needs to answer. */
export interface Contestant {
  readonly name: string;
  /** The bundle's path. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The event of the n-th sample: a fresh one each time, so that no sample finds the work done. */
  readonly event: (sample: number) => unknown;
}

/** Medians in milliseconds, of fresh processes. */
export interface ColdStart {
  readonly name: string;
  readonly samples: number;
  /** From before the import to after it. */
  readonly importMs: number;
  /** The first request alone, from the call to its answer. */
  readonly requestMs: number;
  /** Both together: what the first sender waits for, beside Lambda's own start. */
  readonly totalMs: number;
}

interface Sample {
  readonly importMs: number;
  readonly requestMs: number;
  readonly status: number;
}

/** Runs in the child: nothing is loaded before the bundle, and nothing measured after the answer. */
const CHILD = `
const event = JSON.parse(process.argv[2]);
const context = { awsRequestId: "bench", getRemainingTimeInMillis: () => 9000 };
const before = performance.now();
const { handler } = require(process.argv[1]);
const imported = performance.now();
handler(event, context).then(({ statusCode }) => {
  const answered = performance.now();
  const sample = { importMs: imported - before, requestMs: answered - imported, status: statusCode };
  process.stdout.write("\\n" + JSON.stringify(sample) + "\\n", () => process.exit(0));
});
`;

/**
 * Measures two functions against each other: a new process for every sample, A and B in turn, so that whatever else the machine does falls
 * on both alike. Throws when a sample does not answer with `status`, since a refused request is quick and proves nothing.
 */
export async function compareColdStarts(
  a: Contestant,
  b: Contestant,
  { samples = 15, status = 204 }: { samples?: number; status?: number } = {},
): Promise<readonly [ColdStart, ColdStart]> {
  const taken: readonly [Sample[], Sample[]] = [[], []];
  // One round for the disk cache, not counted.
  for (let round = 0; round <= samples; round += 1) {
    for (const [index, contestant] of [a, b].entries()) {
      const sample = await oneSample(contestant, round);
      if (sample.status !== status)
        throw new Error(`${contestant.name} answered ${sample.status} instead of ${status}.`);
      if (round > 0) taken[index]?.push(sample);
    }
  }
  return [summary(a.name, taken[0]), summary(b.name, taken[1])];
}

/** One printed line: both medians and how often the second goes into the first. */
export function coldStartRow([ours, floor]: readonly [ColdStart, ColdStart]): string {
  const cell = (name: string, one: number, other: number) =>
    `${name} ${one.toFixed(1)} ms against ${other.toFixed(1)} ms (${(one / other).toFixed(2)}x)`;
  return [
    `${ours.name} against ${floor.name}, median of ${ours.samples} fresh processes each`,
    cell("import", ours.importMs, floor.importMs),
    cell("first request", ours.requestMs, floor.requestMs),
    cell("total", ours.totalMs, floor.totalMs),
  ].join("; ");
}

/** A signed demand as API Gateway hands it over (payload 2.0), new by id and current by time. */
export function signedDemand(secret: string, poolId: string, slots: { capacity: number; required: number }): unknown {
  const body = JSON.stringify({
    schema_version: 1,
    event_id: randomBytes(10).toString("hex"),
    type: "capacity_demand",
    timestamp: new Date().toISOString(),
    pool_id: poolId,
    host_selector: {},
    backend: "docker",
    required_runner_slots: slots.required,
    current_capacity: slots.capacity,
    queued_job_count: slots.required,
    oldest_queue_age_seconds: 10,
  });
  return {
    version: "2.0",
    routeKey: "POST /zoomies/capacity",
    rawPath: "/zoomies/capacity",
    headers: {
      "content-type": "application/json",
      "x-zoomies-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    requestContext: { http: { method: "POST", path: "/zoomies/capacity" }, requestId: "bench" },
    body,
    isBase64Encoded: false,
  };
}

async function oneSample(contestant: Contestant, round: number): Promise<Sample> {
  const child = await promisify(execFile)(
    process.execPath,
    ["-e", CHILD, contestant.file, JSON.stringify(contestant.event(round))],
    { env: { ...contestant.environment }, timeout: 30_000 },
  );
  return JSON.parse(child.stdout.trimEnd().split("\n").at(-1) ?? "") as Sample;
}

function summary(name: string, samples: readonly Sample[]): ColdStart {
  return {
    name,
    samples: samples.length,
    importMs: median(samples.map(({ importMs }) => importMs)),
    requestMs: median(samples.map(({ requestMs }) => requestMs)),
    totalMs: median(samples.map(({ importMs, requestMs }) => importMs + requestMs)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
