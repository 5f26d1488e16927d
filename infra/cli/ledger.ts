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
import type { WorldFile } from "../local/world-file.ts";
import { localClient } from "./local-aws.ts";
import { chosenTarget, deployedAt, outputOf } from "./target.ts";
import { UsageError } from "./usage-error.ts";

export const ledgerUsage = `  --stack NAME      a stack in AWS; by default the running local world (npm start)
  --table NAME      the ledger itself, the stack's output TableName, for who may not read stacks
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

/** Which ledger is meant: a stack's, a table, or by default the local world's. */
export const ledgerOptions = { stack: { type: "string" }, table: { type: "string" } } as const;

interface Where {
  readonly stack?: string | undefined;
  readonly table?: string | undefined;
}

/** Opens the ledger that is meant. Throws UsageError when nothing says which, and an Error when the stack has none. */
export async function openLedger(where: Where, world: () => WorldFile | undefined): Promise<Ledger> {
  const local = where.stack === undefined && where.table === undefined ? world() : undefined;
  const name = local?.table ?? (await named(where));
  if (name === "") throw new UsageError("Give --stack NAME, or start a local world with npm start.");
  return openTable(name, local?.dynamodb);
}

/** The ledger in this table; `endpoint` is DynamoDB's, undefined for AWS itself. */
export function openTable(name: string, endpoint: string | undefined): Ledger {
  const client = new DynamoDBClient({ ...clientTimeouts(3_000, 3), ...localClient(endpoint) });
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

async function named({ stack, table = "" }: Where): Promise<string> {
  if (stack === undefined) return table;
  if (table !== "") throw new UsageError("Give --stack or --table, and not both.");
  return outputOf(await deployedAt(chosenTarget(stack, undefined)), "TableName");
}
