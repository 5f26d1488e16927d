import { readFileSync } from "node:fs";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { TestWorld } from "../world.ts";
import { putStored } from "./ledger-items.ts";

/** Every layout of which a release may find items (lib/ledger/dynamodb-table.ts). */
export const layouts = ["layout-1"] as const;

type Stored = Readonly<Record<string, AttributeValue>>;

export const storedItems = (layout: string): Readonly<Record<string, Stored>> =>
  JSON.parse(readFileSync(new URL(`${layout}.json`, import.meta.url), "utf8")) as Record<string, Stored>;

/** Puts an item of a layout as an earlier release left it, with this world's names in place of those in the file. */
export async function putEarlier(
  world: Pick<TestWorld, "dynamodb" | "table">,
  layout: string,
  name: string,
  names: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  const item = storedItems(layout)[name];
  if (item === undefined) throw new Error(`${layout} has no item ${name}.`);
  let text = JSON.stringify(item);
  for (const [theirs, ours] of Object.entries(names)) text = text.replaceAll(theirs, String(ours));
  await putStored(world, JSON.parse(text) as Stored);
}

/** The instance of the items in the files. */
export const theirInstance = "i-00000000000000000";
