import { randomUUID } from "node:crypto";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EC2Client } from "@aws-sdk/client-ec2";
import { describedGroups } from "../capacity/auto-scaling-groups.ts";
import { shownInstances } from "../capacity/ec2-described-instances.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import { systemClock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { jsonLogger } from "../edge/logger.ts";
import { embeddedMetrics } from "../edge/metrics.ts";
import { carryOutIn, modeOf } from "../edge/mode.ts";
import { dynamodbLiveSets } from "../ledger/dynamodb-live-sets.ts";
import { dynamodbTable } from "../ledger/dynamodb-table.ts";
import type { LiveSets } from "../ledger/live-set.ts";
import { ledgerRecords } from "../ledger/records.ts";
import { ledgerTrail } from "../ledger/trail.ts";
import type { NoticeParts } from "./handle-notices.ts";
import { knownStrangers } from "./known-strangers.ts";

/** What handling notices needs on real clients, but for what each protocol does about them. */
export function noticeParts(env: Environment): { parts: Omit<NoticeParts, "responses">; liveSets: LiveSets } {
  const stack = env.text("DROVER_STACK");
  const tableName = env.text("DROVER_TABLE");
  const dynamodb = new DynamoDBClient(clientTimeouts(1_500, 3));
  const table = dynamodbTable(dynamodb, tableName);
  const records = ledgerRecords(table, systemClock, randomUUID);
  const write = (line: string) => console.log(line);
  const parts = {
    stack,
    instances: shownInstances(new EC2Client(clientTimeouts(2_500, 2))),
    groups: knownStrangers(describedGroups(new AutoScalingClient(clientTimeouts(2_500, 2)), stack), systemClock),
    records,
    trail: ledgerTrail(records, table, systemClock, randomUUID),
    clock: systemClock,
    logger: jsonLogger(write),
    metrics: embeddedMetrics(write, systemClock, stack),
    carryOut: carryOutIn(modeOf(env)),
  };
  return { parts, liveSets: dynamodbLiveSets(dynamodb, tableName, records, systemClock) };
}
