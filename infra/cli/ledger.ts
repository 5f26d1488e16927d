import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { clientTimeouts } from "../../lib/edge/client-timeouts.ts";
import { type Clock, systemClock } from "../../lib/edge/clock.ts";
import { dynamodbLiveSets } from "../../lib/ledger/dynamodb-live-sets.ts";
import { dynamodbTable } from "../../lib/ledger/dynamodb-table.ts";
import type { LiveSets } from "../../lib/ledger/live-set.ts";
import { ledgerRecords, type Records } from "../../lib/ledger/records.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { ledgerTrail, type Trail } from "../../lib/ledger/trail.ts";
import { UsageError } from "../local/send/usage-error.ts";
import type { WorldFile } from "../local/world-file.ts";
import { localClient } from "./local-aws.ts";

export const ledgerUsage = `  --table NAME      the stack's ledger table: its output TableName, which
                    sam list stack-outputs --stack-name STACK --output json shows;
                    without it, the running local world's (npm start)
  --json            one JSON document instead of text
Credentials and region are the AWS SDK's usual ones.
`;

/** A stack's ledger, as an operator's command reads it. */
export interface Ledger {
  readonly table: Table;
  readonly records: Records;
  readonly trail: Trail;
  readonly liveSets: LiveSets;
  readonly clock: Clock;
  close(): void;
}

/** Opens the named table, or the local world's. Throws UsageError when there is neither. */
export function openLedger(tableName: string | undefined, world: () => WorldFile | undefined): Ledger {
  const local = tableName === undefined ? world() : undefined;
  const name = tableName ?? local?.table;
  if (name === undefined || name === "") {
    throw new UsageError("Give --table NAME, or start a local world with npm start.");
  }
  const client = new DynamoDBClient({ ...clientTimeouts(3_000, 3), ...localClient(local?.dynamodb) });
  const clock = systemClock;
  const table = dynamodbTable(client, name);
  const records = ledgerRecords(table, clock, randomUUID);
  return {
    table,
    records,
    trail: ledgerTrail(records, table, clock, randomUUID),
    liveSets: dynamodbLiveSets(client, name, records, clock),
    clock,
    close: () => client.destroy(),
  };
}
