import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type AutoScalingClients, autoScalingGroups } from "../capacity/auto-scaling-groups.ts";
import { observingGroups } from "../capacity/observing.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import { systemClock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { jsonLogger } from "../edge/logger.ts";
import { embeddedMetrics } from "../edge/metrics.ts";
import { modeOf, observingMetrics } from "../edge/mode.ts";
import { dynamodbTable } from "../ledger/dynamodb-table.ts";
import { ledgerRecords } from "../ledger/records.ts";
import { steadyTrail } from "../ledger/steady-trail.ts";
import { ledgerTrail } from "../ledger/trail.ts";
import type { DemandParts } from "./parts.ts";
import { raiseTimeoutMs, scalingClients } from "./scaling-clients.ts";

/** What every Zoomies function has: its ledger and its voice. */
export function commonParts(env: Environment): Omit<DemandParts, "settings" | "groups"> {
  const stack = env.text("DROVER_STACK");
  const write = (line: string) => console.log(line);
  const table = dynamodbTable(new DynamoDBClient(clientTimeouts(700, 3)), env.text("DROVER_TABLE"));
  const records = ledgerRecords(table, systemClock, randomUUID);
  const voice = { logger: jsonLogger(write), metrics: embeddedMetrics(write, systemClock, stack) };
  const trail = steadyTrail(ledgerTrail(records, table, systemClock, randomUUID), voice);
  return { records, trail, clock: systemClock, ...voice, newToken: randomUUID };
}

/** The parts of the demand half, on real AWS clients: webhook and reconciler decide with the same code. */
export function demandParts(env: Environment, clients: AutoScalingClients = scalingClients()): DemandParts {
  const settings = { freshMs: env.minutes("DROVER_FRESH_MINUTES"), leaseMs: 20_000, raiseTimeoutMs };
  const parts = { ...commonParts(env), groups: autoScalingGroups(clients, env.text("DROVER_STACK")), settings };
  return modeOf(env) === "act" ? parts : observingDemand(parts);
}

/** The same for a stack that only observes. */
const observingDemand = ({ groups, metrics, ...parts }: DemandParts): DemandParts => ({
  ...parts,
  groups: observingGroups(groups),
  metrics: observingMetrics(metrics),
});
