import { paginateScan } from "@aws-sdk/client-dynamodb";
import type { DeployedWorld } from "./world.ts";

export interface LedgerItem {
  readonly pk: string;
  readonly sk: string;
  readonly body: string;
}

/** Everything in the stack's ledger. */
export async function ledgerItems({ dynamodb, stack }: DeployedWorld): Promise<LedgerItem[]> {
  const items: LedgerItem[] = [];
  const TableName = stack.outputs["TableName"];
  for await (const page of paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true })) {
    for (const { pk, sk, body } of page.Items ?? []) {
      items.push({ pk: pk?.S ?? "", sk: sk?.S ?? "", body: body?.S ?? "" });
    }
  }
  return items;
}
