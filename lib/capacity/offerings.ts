import type { Architecture, InstanceType } from "./instance-types.ts";

/** One thing that can be launched: a type in a subnet, and so in one zone. */
export interface Offering {
  readonly instanceType: string;
  readonly subnet: string;
}

/** The least that an instance must have. */
export interface Need {
  readonly vcpus?: number;
  readonly memoryBytes?: number;
}

/** Offerings in the order in which they are tried: every subnet of the first type, then of the next (design: tags). */
export function offeringsOf(types: readonly InstanceType[], subnets: readonly string[], need: Need): Offering[] {
  return types
    .filter((type) => type.vcpus >= (need.vcpus ?? 0) && type.memoryBytes >= (need.memoryBytes ?? 0))
    .flatMap(({ name }) => subnets.map((subnet) => ({ instanceType: name, subnet })));
}

/** Names under which an offering cools off: by itself, or with everything in its subnet. */
export const coolOffName = ({ instanceType, subnet }: Offering): string => `offering#${instanceType}#${subnet}`;
export const subnetCoolOffName = ({ subnet }: Offering): string => `subnet#${subnet}`;

/** The one architecture of all these types; undefined when they are mixed, none, or neither of the two. */
export function architectureOf(types: readonly InstanceType[]): Architecture | undefined {
  const all = new Set(types.map(({ architecture }) => architecture));
  return all.size === 1 ? [...all][0] : undefined;
}
