import { type AttributeValue, DynamoDBClient, PutItemCommand, paginateScan } from "@aws-sdk/client-dynamodb";
import type { TestWorld } from "../world.ts";

export interface LedgerItem {
  readonly pk: string;
  readonly sk: string;
  readonly body: string;
}

/** Everything in the world's ledger, in the order of its keys, read beside the functions and their faults. */
export async function ledgerItems(world: Pick<TestWorld, "dynamodb" | "table">): Promise<LedgerItem[]> {
  const client = clientOf(world);
  const items: LedgerItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: world.table, ConsistentRead: true })) {
    for (const { pk, sk, body } of page.Items ?? [])
      items.push({ pk: pk?.S ?? "", sk: sk?.S ?? "", body: body?.S ?? "" });
  }
  client.destroy();
  return items.sort((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1));
}

/** Puts an item as the present layout has it, over whatever stands there. */
export async function putItem(
  world: Pick<TestWorld, "dynamodb" | "table">,
  { pk, sk, body, version = 1 }: { pk: string; sk: string; body: unknown; version?: number },
): Promise<void> {
  const writer = { S: "somebody" };
  const numbers = { schema: { N: "1" }, version: { N: String(version) } };
  await putStored(world, { pk: { S: pk }, sk: { S: sk }, ...numbers, writer, body: { S: JSON.stringify(body) } });
}

/** Puts an item attribute by attribute. */
export async function putStored(
  world: Pick<TestWorld, "dynamodb" | "table">,
  Item: Readonly<Record<string, AttributeValue>>,
): Promise<void> {
  const client = clientOf(world);
  await client.send(new PutItemCommand({ TableName: world.table, Item }));
  client.destroy();
}

const clientOf = ({ dynamodb: endpoint }: Pick<TestWorld, "dynamodb">) =>
  new DynamoDBClient({
    endpoint,
    region: "eu-west-1",
    credentials: { accessKeyId: "AKIATEST", secretAccessKey: "test" },
  });
