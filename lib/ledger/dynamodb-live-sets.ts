import { type DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../edge/clock.ts";
import { inKnownLayout, reach, schemaVersion } from "./dynamodb-table.ts";
import type { LiveSet, LiveSets } from "./live-set.ts";
import type { Records } from "./records.ts";

const layout = { N: String(schemaVersion) };
const indexKey = { pk: "live", sk: "sets" };
const keyOf = ({ of, kind }: LiveSet) => ({ pk: { S: `live#${of}` }, sk: { S: kind } });

/**
 * Each set is a map in one item, names to times, and every change is one conditional update: DynamoDB takes them one
 * after the other, so a hundred that come at once need no second try. A repeated update finds its own name and changes
 * nothing but the time. A set of a layout that this release does not know is neither read nor changed.
 */
export function dynamodbLiveSets(client: DynamoDBClient, tableName: string, records: Records, clock: Clock): LiveSets {
  async function update(set: LiveSet, name: string, change: string, condition: string, values: Record<string, number>) {
    const numbers = Object.entries(values).map(([key, value]) => [key, { N: String(value) }] as const);
    return settled(() =>
      client.send(
        new UpdateItemCommand({
          TableName: tableName,
          Key: keyOf(set),
          UpdateExpression: change,
          // A set of another layout is left as it is, whatever it holds.
          ConditionExpression: `#schema = :schema AND (${condition})`,
          ExpressionAttributeNames: { "#places": "places", "#name": name, "#schema": "schema" },
          ExpressionAttributeValues: { ":schema": layout, ...Object.fromEntries(numbers) },
        }),
      ),
    );
  }

  /** The set as it stands: its item's map, or undefined before anything was let in. */
  async function read(set: LiveSet): Promise<Record<string, { N?: string }> | undefined> {
    const { Item } = await reach(() =>
      client.send(new GetItemCommand({ TableName: tableName, Key: keyOf(set), ConsistentRead: true })),
    );
    if (Item === undefined) return undefined;
    return inKnownLayout(Item)["places"]?.M as Record<string, { N?: string }> | undefined;
  }

  /** A set is in the index before anything is in the set, so that nothing is ever in a set that nobody looks at. */
  async function open(set: LiveSet): Promise<void> {
    const isListed = (sets: readonly LiveSet[]) => sets.some(({ of, kind }) => of === set.of && kind === set.kind);
    let stored = await records.read<readonly LiveSet[]>(indexKey);
    while (stored === undefined || !isListed(stored.value)) {
      const sets = [...(stored?.value ?? []), set];
      const written =
        stored === undefined ? await records.create(indexKey, sets) : await records.replace(indexKey, stored, sets);
      if (written.outcome === "written") break;
      stored = written.stored;
    }
    const Item = { ...keyOf(set), schema: layout, version: { N: "1" }, places: { M: {} } };
    await settled(() =>
      client.send(new PutItemCommand({ TableName: tableName, Item, ConditionExpression: "attribute_not_exists(pk)" })),
    );
  }

  /** A condition that failed is believed only with the set before our eyes: the set may not have been there yet. */
  async function enter(set: LiveSet, name: string, cap: number, condition: string, values: Record<string, number>) {
    for (;;) {
      const entered = await update(set, name, "SET #places.#name = :now", condition, {
        ":now": clock.now(),
        ...values,
      });
      if (entered) return "taken";
      const places = await read(set);
      if (places === undefined) await open(set);
      else if (places[name] === undefined && Object.keys(places).length >= cap) return "full";
    }
  }

  return {
    take: (set, name, cap) =>
      enter(set, name, cap, "attribute_exists(#places.#name) OR size(#places) < :cap", { ":cap": cap }),
    async admit(set, name) {
      await enter(set, name, Number.POSITIVE_INFINITY, "attribute_exists(#places)", {});
    },
    async free(set, name, since) {
      const isThis = since === undefined ? "attribute_exists(#places.#name)" : "#places.#name = :since";
      await update(set, name, "REMOVE #places.#name", isThis, since === undefined ? {} : { ":since": since });
    },
    async places(set) {
      return Object.entries((await read(set)) ?? {}).map(([name, { N }]) => ({ name, since: Number(N) }));
    },
    sets: async () => (await records.read<readonly LiveSet[]>(indexKey))?.value ?? [],
  };
}

/** Whether the condition held and the change was made. */
async function settled(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await reach(call);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
}
