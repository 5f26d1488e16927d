import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EC2Client } from "@aws-sdk/client-ec2";
import { type Ec2Clients, ec2Instances } from "../capacity/ec2-instances.ts";
import { listedLaunchTemplates } from "../capacity/ec2-launch-templates.ts";
import { observingInstances } from "../capacity/observing.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import { systemClock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { jsonLogger } from "../edge/logger.ts";
import { embeddedMetrics } from "../edge/metrics.ts";
import { modeOf } from "../edge/mode.ts";
import { dynamodbLiveSets } from "../ledger/dynamodb-live-sets.ts";
import { dynamodbTable } from "../ledger/dynamodb-table.ts";
import { ledgerRecords, type Records } from "../ledger/records.ts";
import { ledgerTrail } from "../ledger/trail.ts";
import { ledgerAgents } from "./agent-record.ts";
import type { TeardownParts } from "./parts.ts";
import { scalerPauses } from "./scaler-pauses.ts";

/** A launch and its answer, milliseconds; begun within the first 8 s of the function, it ends well inside its 25. */
const mutationTimeoutMs = 10_000;

/** The parts of every KiCI function, on real AWS clients, with what the others build theirs on. */
export function teardownParts(env: Environment): { parts: TeardownParts; records: Records; clients: Ec2Clients } {
  const stack = env.text("DROVER_STACK");
  const write = (line: string) => console.log(line);
  const dynamodb = new DynamoDBClient(clientTimeouts(2_500, 3));
  const tableName = env.text("DROVER_TABLE");
  const table = dynamodbTable(dynamodb, tableName);
  const records = ledgerRecords(table, systemClock, randomUUID);
  const clients: Ec2Clients = {
    reads: new EC2Client(clientTimeouts(3_000, 2)),
    mutations: new EC2Client(clientTimeouts(mutationTimeoutMs, 1)),
  };
  const instances = ec2Instances(clients, stack);
  const parts: TeardownParts = {
    stack,
    instances: modeOf(env) === "act" ? instances : observingInstances(instances),
    isPaused: scalerPauses(listedLaunchTemplates(clients.reads, stack)),
    agents: ledgerAgents(records),
    liveSets: dynamodbLiveSets(dynamodb, tableName, records, systemClock),
    trail: ledgerTrail(records, table, systemClock, randomUUID),
    clock: systemClock,
    logger: jsonLogger(write),
    metrics: embeddedMetrics(write, systemClock, stack),
  };
  return { parts, records, clients };
}
