import type { Usage } from "./prices.ts";

/** One run of one function as it was measured in the local world. */
export interface Run {
  /** Milliseconds that the function itself took. */
  readonly ms: number;
  readonly memoryMegabytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly secretReads: number;
  /** Calls to AWS and to peers that wait for an answer, the ledger's among them. */
  readonly calls: number;
  readonly logBytes: number;
}

/** What one stack has standing, whatever happens. */
export interface Standing {
  readonly secrets: number;
  readonly alarmMetrics: number;
  readonly dashboards: number;
  /** Name and dimensions together, of what is counted in such a month. */
  readonly customMetrics: number;
  /** Queues that feed a function. */
  readonly polledQueues: number;
}

/** A kind of run and how often it comes in a month. */
export interface Often {
  readonly run: Run;
  readonly times: number;
  readonly by: "api" | "schedule" | "queue";
}

/** What a call of AWS's or a peer's takes longer than on loopback, in milliseconds: an assumption, and a generous one. */
const networkMs = 15;
/** Lambda polls a queue with five connections for 20 s each at the least (Lambda developer guide, "Using Lambda with Amazon SQS"). */
const pollsAMonth = (5 * 30 * 24 * 3_600) / 20;
/** What Lambda and the API write of each run themselves. */
const ownLogBytes = 500;
/** A message is deleted by itself; four are sent in one request, and receiving is polling. */
const requestsPerMessage = 1.25;

/** A month's usage of what stands and what runs. */
export function monthOf(standing: Standing, runs: readonly Often[]): Usage {
  const sum = (of: (run: Run) => number, by?: Often["by"]) =>
    runs.reduce((all, each) => all + (by === undefined || each.by === by ? of(each.run) * each.times : 0), 0);
  const secondsOf = ({ ms, calls }: Run) => (ms + calls * networkMs) / 1000;
  return {
    lambdaRequests: sum(() => 1),
    lambdaGbSeconds: sum((run) => (secondsOf(run) * run.memoryMegabytes) / 1024),
    apiRequests: sum(() => 1, "api"),
    tableReads: sum(({ reads }) => reads),
    tableWrites: sum(({ writes }) => writes),
    secrets: standing.secrets,
    secretReads: sum(({ secretReads }) => secretReads),
    scheduledRuns: sum(() => 1, "schedule"),
    queueRequests: sum(() => requestsPerMessage, "queue") + standing.polledQueues * pollsAMonth,
    logGigabytes: sum(({ logBytes }) => logBytes + ownLogBytes) / 1e9,
    customMetrics: standing.customMetrics,
    alarmMetrics: standing.alarmMetrics,
    dashboards: standing.dashboards,
  };
}
