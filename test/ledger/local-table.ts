import { fileURLToPath } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { startDynamoDb } from "../../infra/local/dynamodb.ts";
import { readTemplate } from "../../infra/local/template.ts";
import { dynamodbTable } from "../../lib/ledger/dynamodb-table.ts";
import type { Table } from "../../lib/ledger/table.ts";

const place = { stack: "ledger-test", region: "eu-central-1", account: "123456789012" };

/** The template's own table in a DynamoDB on loopback, as the functions see it. */
export async function startLocalTable(): Promise<{
  table: Table;
  client: DynamoDBClient;
  tableName: string;
  close(): Promise<void>;
}> {
  const { tables } = readTemplate(fileURLToPath(new URL("../../template.yaml", import.meta.url)), place);
  const [declared] = tables;
  if (declared === undefined) throw new Error("template.yaml declares no table.");
  const dynamodb = await startDynamoDb(tables);
  const client = new DynamoDBClient({
    endpoint: dynamodb.url,
    region: place.region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  return {
    table: dynamodbTable(client, declared.name),
    client,
    tableName: declared.name,
    async close() {
      client.destroy();
      await dynamodb.close();
    },
  };
}
