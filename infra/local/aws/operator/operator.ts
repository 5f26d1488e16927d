import type { World } from "../world.ts";
import { type GroupOperator, groupOperator } from "./groups.ts";
import { type Mishaps, mishaps } from "./mishaps.ts";
import { type RegionOperator, regionOperator } from "./region.ts";
import { type SecretOperator, secretOperator } from "./secrets.ts";

/** Everything that shapes the world from outside the API; each method first lets what is due happen. */
export type Operator = GroupOperator & RegionOperator & Mishaps & SecretOperator;

export function createOperator(world: World, settle: () => void): Operator {
  const region = regionOperator(world, settle);
  return {
    ...region,
    ...groupOperator(world, settle, region),
    ...mishaps(world, settle),
    ...secretOperator(world, settle),
  };
}
