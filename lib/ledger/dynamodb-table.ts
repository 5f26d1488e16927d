import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import { type Condition, type Item, type Key, LedgerUnavailable, type Range, type Table } from "./table.ts";

/**
 * The layout of items, raised when a reader of the old one would misread the new one. A release reads every layout that the one before it
 * wrote, so that operations in flight resume after an upgrade; items of each are kept in test/functions/upgrade.test.ts.
 */
export const schemaVersion = 1;
/** BatchGetItem's own limit. */
const batchSize = 100;

type Attributes = Record<string, AttributeValue>;

function toAttributes(item: Item): Attributes {
  return {
    pk: { S: item.pk },
    sk: { S: item.sk },
    schema: { N: String(schemaVersion) },
    version: { N: String(item.version) },
    writer: { S: item.writer },
    body: { S: item.body },
    ...(item.expiresAt === undefined ? {} : { expiresAt: { N: String(item.expiresAt) } }),
  };
}

/**
 * The item, if this release knows its layout. After a rollback the ledger holds items of the newer release: none of them is read, and so
 * none is overwritten, since every write names the version that was read.
 */
export function inKnownLayout(attributes: Attributes): Attributes {
  const { pk, schema } = attributes;
  if (Number(schema?.N) === schemaVersion) return attributes;
  throw new Error(`Ledger item ${pk?.S} has layout ${schema?.N}; this release reads layout ${schemaVersion}.`);
}

function fromAttributes(attributes: Attributes): Item {
  const { pk, sk, version, writer, body, expiresAt } = inKnownLayout(attributes);
  return {
    pk: pk?.S ?? "",
    sk: sk?.S ?? "",
    version: Number(version?.N),
    writer: writer?.S ?? "",
    body: body?.S ?? "null",
    ...(expiresAt?.N === undefined ? {} : { expiresAt: Number(expiresAt.N) }),
  };
}

const keyOf = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } });
const idOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

function conditionOf(condition: Condition) {
  if ("version" in condition) {
    return {
      ConditionExpression: "version = :version",
      ExpressionAttributeValues: { ":version": { N: String(condition.version) } },
    };
  }
  return {
    ConditionExpression: "attribute_not_exists(pk) OR expiresAt <= :now",
    ExpressionAttributeValues: { ":now": { N: String(condition.absent.now) } },
  };
}

/** Gives a failed condition as it is, and every other failure as {@link LedgerUnavailable}. */
export async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ConditionalCheckFailedException") throw cause;
    throw new LedgerUnavailable("The ledger table could not be reached.", { cause });
  }
}

/** The ledger in DynamoDB. The client's own retries stay on: every write is conditional and carries its writer's token. */
export function dynamodbTable(client: DynamoDBClient, tableName: string): Table {
  async function getOne(key: Key): Promise<Item | undefined> {
    const { Item } = await reach(() =>
      client.send(new GetItemCommand({ TableName: tableName, Key: keyOf(key), ConsistentRead: true })),
    );
    return Item === undefined ? undefined : fromAttributes(Item);
  }

  async function getBatch(keys: readonly Key[]): Promise<Item[]> {
    const items: Item[] = [];
    let wanted: Attributes[] = keys.map(keyOf);
    // Each answer holds at least one item or the call is throttled, so this ends.
    while (wanted.length > 0) {
      const answer = await reach(() =>
        client.send(new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys: wanted, ConsistentRead: true } } })),
      );
      items.push(...(answer.Responses?.[tableName] ?? []).map(fromAttributes));
      const left = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
      if (left.length === wanted.length) throw new LedgerUnavailable("The ledger table is throttled.");
      wanted = left;
    }
    return items;
  }

  return {
    async get(keys) {
      const [only] = keys;
      if (keys.length === 1 && only !== undefined) return [await getOne(only)];
      const found = new Map<string, Item>();
      // BatchGetItem refuses a batch that names a key twice.
      const different = [...new Map(keys.map((key) => [idOf(key), key])).values()];
      for (let start = 0; start < different.length; start += batchSize) {
        for (const item of await getBatch(different.slice(start, start + batchSize))) found.set(idOf(item), item);
      }
      return keys.map((key) => found.get(idOf(key)));
    },

    async put(item, condition) {
      try {
        await reach(() =>
          client.send(
            new PutItemCommand({ TableName: tableName, Item: toAttributes(item), ...conditionOf(condition) }),
          ),
        );
        return "written";
      } catch (error) {
        if (error instanceof Error && error.name === "ConditionalCheckFailedException") return "refused";
        throw error;
      }
    },

    async query(pk, range) {
      const { expression, values } = sortKeyRange(range);
      const answer = await reach(() =>
        client.send(
          new QueryCommand({
            TableName: tableName,
            KeyConditionExpression: `pk = :pk${expression}`,
            ExpressionAttributeValues: { ":pk": { S: pk }, ...values },
            ConsistentRead: true,
            ScanIndexForward: !range.newestFirst,
            Limit: range.limit,
          }),
        ),
      );
      return { items: (answer.Items ?? []).map(fromAttributes), more: answer.LastEvaluatedKey !== undefined };
    },
  };
}

function sortKeyRange({ from, to }: Range): { expression: string; values: Attributes } {
  if (from !== undefined && to !== undefined) {
    return { expression: " AND sk BETWEEN :from AND :to", values: { ":from": { S: from }, ":to": { S: to } } };
  }
  if (from !== undefined) return { expression: " AND sk >= :from", values: { ":from": { S: from } } };
  if (to !== undefined) return { expression: " AND sk <= :to", values: { ":to": { S: to } } };
  return { expression: "", values: {} };
}
