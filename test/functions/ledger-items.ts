import { DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import type { TestWorld } from "../world.ts";

export interface LedgerItem {
  readonly pk: string;
  readonly sk: string;
  readonly body: string;
}

/** Everything in the world's ledger, in the order of its keys, read beside the functions and their faults. */
export async function ledgerItems(world: Pick<TestWorld, "dynamodb" | "table">): Promise<LedgerItem[]> {
  const client = new DynamoDBClient({
    endpoint: world.dynamodb,
    region: "eu-west-1",
    credentials: { accessKeyId: "AKIATEST", secretAccessKey: "test" },
  });
  const items: LedgerItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: world.table, ConsistentRead: true })) {
    for (const { pk, sk, body } of page.Items ?? [])
      items.push({ pk: pk?.S ?? "", sk: sk?.S ?? "", body: body?.S ?? "" });
  }
  client.destroy();
  return items.sort((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1));
}
