import { randomUUID } from "node:crypto";
import { systemClock } from "../../lib/edge/clock.ts";
import { environment } from "../../lib/edge/environment.ts";
import type { Logger } from "../../lib/edge/logger.ts";
import { type DecisionInput, decide } from "../../lib/helmr/decision.ts";
import type { DrainDetail, DrainPhase } from "../../lib/helmr/drain-operation.ts";
import { helmrParts } from "../../lib/helmr/helmr-parts.ts";
import { helmrRun } from "../../lib/helmr/helmr-run.ts";
import { type JoinContext, join } from "../../lib/helmr/join.ts";
import { observe } from "../../lib/helmr/observe.ts";
import type { HelmrParts } from "../../lib/helmr/parts.ts";
import { ledgerPauses } from "../../lib/helmr/pause.ts";
import { advisoryReasons, planRequest } from "../../lib/helmr/plan-request.ts";
import { ledgerLeases } from "../../lib/ledger/leases.ts";
import { ledgerOperations } from "../../lib/ledger/operations.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { ledgerTrail } from "../../lib/ledger/trail.ts";
import { MemoryTable } from "../ledger/memory-table.ts";

/** What one invocation measured of itself. Milliseconds, and megabytes of resident memory at the most. */
export interface FunctionReport {
  readonly cycles: readonly number[];
  /** Processor time of a cycle, start-up aside: milliseconds. */
  readonly cpuMs: number;
  readonly failed: number;
  readonly ledgerCalls: number;
  readonly peakMb: number;
  /** Processor time of joining and deciding on everything seen in one Worker group, without a call: the median of many. */
  readonly decisionMs: number;
  readonly hosts: number;
}

const rounds = 40;
const memory: DecisionInput["memory"] = { pools: {}, seen: {}, open: [], said: {} };

/** The ledger in memory, its calls counted: an embedded DynamoDB on the same processor would be most of what is measured. */
function countedLedger() {
  const items = new MemoryTable();
  const counted = { calls: 0 };
  const count = <T>(answer: T): T => {
    counted.calls += 1;
    return answer;
  };
  const table: Table = {
    get: (keys) => count(items.get(keys)),
    put: (item, condition) => count(items.put(item, condition)),
    query: (pk, range) => count(items.query(pk, range)),
  };
  const records = ledgerRecords(table, systemClock, randomUUID);
  const parts: Pick<HelmrParts, "records" | "leases" | "operations" | "trail" | "pauses"> = {
    records,
    leases: ledgerLeases(records, systemClock),
    operations: ledgerOperations<DrainPhase, DrainDetail>(records, table, systemClock),
    trail: ledgerTrail(records, table, systemClock, randomUUID),
    pauses: ledgerPauses(records, systemClock),
  };
  return { counted, parts };
}

/** The reconciler on its real clients, cycle after cycle without a pause, for as long as it is told. */
async function measured(budgetMs: number, workerGroup: string): Promise<FunctionReport> {
  const cycles: number[] = [];
  const logger: Logger = {
    log(level, message, fields) {
      if (message === "cycle") cycles.push(Number(fields?.["tookMs"]));
      if (level === "error") console.error(message, fields);
    },
    with: () => logger,
  };
  const real = helmrParts(environment(process.env));
  const settings = { ...real.settings, cycleMs: 1, leastCycleMs: 1 };
  const ledger = countedLedger();
  const parts = { ...real, ...ledger.parts, logger, metrics: { count() {} }, settings };
  const startedAt = Date.now();
  const cpuBefore = process.cpuUsage();
  const run = await helmrRun(parts, { budgetMs, remainingMs: () => startedAt + 210_000 - Date.now() });
  const cpu = process.cpuUsage(cpuBefore);
  const cpuMs = (cpu.user + cpu.system) / 1_000 / cycles.length;
  // Linux counts in kilobytes.
  const peakMb = process.resourceUsage().maxRSS / 1024;

  const readings = await observe(parts, parts.controlPlane, workerGroup, []);
  const context: JoinContext = { memory, ending: new Set(), failing: new Set() };
  const request = planRequest(join(readings, context, settings));
  if (request === undefined) throw new Error("Nothing can be planned.");
  const plan = await parts.controlPlane.plan(readings.workerGroup.id, request);
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = process.threadCpuUsage();
    const observation = join(readings, context, settings);
    const advisory = advisoryReasons(observation, plan);
    const rest = { memory, operations: [], pending: undefined, absent: new Set<string>(), deployment: [] };
    decide({ observation, plan, advisory, ...rest, now: readings.observedAt }, settings);
    const { user, system } = process.threadCpuUsage(began);
    took.push((user + system) / 1_000);
  }
  const decisionMs = took.sort((a, b) => a - b)[rounds / 2] ?? Number.NaN;
  return {
    cycles,
    cpuMs,
    failed: run.failed,
    ledgerCalls: ledger.counted.calls,
    peakMb,
    decisionMs,
    hosts: readings.byInstance.length,
  };
}

const [budgetMs = "10000", workerGroup = ""] = process.argv.slice(2);
measured(Number(budgetMs), workerGroup).then(
  (report) => {
    process.stdout.write(JSON.stringify(report), () => process.exit(0));
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
