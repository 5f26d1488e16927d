import type { Check, Diagnosis } from "../diagnosis.ts";
import { scalers } from "../fleets.ts";
import { valueOr } from "../known.ts";

/** Whether what may still be launched finds an address. */
export const subnets: Check = (facts) => {
  const free = valueOr(facts.freeAddresses, undefined);
  if (free === undefined) return [];
  const launching = [
    ...valueOr(facts.groups, []).map(({ group, subnets: own }) => ({
      resource: group.name,
      own,
      room: Math.max(group.max - group.instances.length, 0),
    })),
    ...scalers(facts).map(({ name, tags }) => ({
      resource: name,
      own: (tags["drover:subnets"] ?? "").split(" ").filter((id) => id !== ""),
      room: Number(tags["drover:max-instances"] ?? 0),
    })),
  ];
  return launching.flatMap(({ resource, own, room }): Diagnosis[] => {
    const missing = own.filter((id) => !free.has(id));
    const addresses = own.reduce((sum, id) => sum + (free.get(id) ?? 0), 0);
    return [
      ...(missing.length === 0
        ? []
        : [
            {
              severity: "error" as const,
              code: "subnet_missing",
              resource,
              what: `There is no subnet ${missing.join(", ")}.`,
              why: "Launches there fail.",
              fix: "Name subnets that exist in this account and region.",
            },
          ]),
      ...(own.length === 0 || missing.length === own.length || addresses >= room
        ? []
        : [
            {
              severity: "warning" as const,
              code: "few_addresses",
              resource,
              what: `${addresses} addresses are free in ${own.join(", ")}, and ${room} more instances are allowed.`,
              why: "Launches beyond them fail with InsufficientFreeAddressesInSubnet.",
              fix: "Add a subnet, or lower the limit to what fits.",
            },
          ]),
    ];
  });
};
