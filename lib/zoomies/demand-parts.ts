import { randomUUID } from "node:crypto";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { autoScalingGroups } from "../capacity/auto-scaling-groups.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import { systemClock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { jsonLogger } from "../edge/logger.ts";
import { embeddedMetrics } from "../edge/metrics.ts";
import { dynamodbTable } from "../ledger/dynamodb-table.ts";
import { ledgerRecords } from "../ledger/records.ts";
import { ledgerTrail } from "../ledger/trail.ts";
import type { DemandParts } from "./parts.ts";

/** One raise's timeout, well inside the lease that it is sent under. */
const raiseTimeoutMs = 2_000;

/** The parts of both Zoomies functions, on real AWS clients: webhook and reconciler decide with the same code. */
export function demandParts(env: Environment): DemandParts {
  const stack = env.text("DROVER_STACK");
  const write = (line: string) => console.log(line);
  const table = dynamodbTable(new DynamoDBClient(clientTimeouts(700, 3)), env.text("DROVER_TABLE"));
  const records = ledgerRecords(table, systemClock, randomUUID);
  const reads = new AutoScalingClient(clientTimeouts(raiseTimeoutMs, 2));
  // One pool of connections for both: the raise goes out on the connection that the describe has just used.
  const mutations = new AutoScalingClient({ maxAttempts: 1, requestHandler: reads.config.requestHandler });
  return {
    groups: autoScalingGroups({ reads, mutations }, stack),
    records,
    trail: ledgerTrail(records, table, systemClock, randomUUID),
    clock: systemClock,
    logger: jsonLogger(write),
    metrics: embeddedMetrics(write, systemClock, stack),
    newToken: randomUUID,
    settings: { freshMs: env.minutes("DROVER_FRESH_MINUTES"), leaseMs: 20_000, raiseTimeoutMs },
  };
}
