import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import dynalite from "dynalite";
import type { LocalTable } from "./template.ts";

export type LocalDynamoDb = { url: string; port: number; close(): Promise<void> };

/**
 * DynamoDB in memory on a free loopback port, with the template's tables. It has no TTL (readers filter expired items
 * themselves) and no transactions (design: the ledger uses none).
 */
export async function startDynamoDb(tables: readonly LocalTable[]): Promise<LocalDynamoDb> {
  const server = dynalite({ createTableMs: 0 });
  const atWork = countAnswers(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const client = new DynamoDBClient({
    endpoint: url,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  try {
    for (const table of tables) await client.send(new CreateTableCommand(createTableInput(table)));
  } finally {
    client.destroy();
  }
  return {
    url,
    port,
    async close() {
      // A caller that died left its write behind; the database must not be closed under it.
      await atWork.idle();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Requests that are not answered yet, those included whose caller is gone and will never hear the answer. */
function countAnswers(server: Server): { idle(): Promise<void> } {
  const open = new Set<Promise<void>>();
  server.prependListener("request", (_request: IncomingMessage, response: ServerResponse) => {
    const end = response.end;
    const answered = new Promise<void>((resolve) => {
      response.end = ((...args: Parameters<typeof end>) => {
        resolve();
        return end.apply(response, args);
      }) as typeof end;
    });
    open.add(answered);
    void answered.then(() => open.delete(answered));
  });
  return {
    async idle() {
      await Promise.all(open);
    },
  };
}

/** The part of a table's properties that CreateTable takes by the same names. */
function createTableInput({ name, properties }: LocalTable): CreateTableCommandInput {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, LocalSecondaryIndexes } =
    properties as unknown as CreateTableCommandInput;
  return {
    TableName: name,
    AttributeDefinitions,
    KeySchema,
    ...(GlobalSecondaryIndexes === undefined ? {} : { GlobalSecondaryIndexes }),
    ...(LocalSecondaryIndexes === undefined ? {} : { LocalSecondaryIndexes }),
    BillingMode: "PAY_PER_REQUEST",
  };
}
