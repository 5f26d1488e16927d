import type { Check, Diagnosis } from "../diagnosis.ts";
import { valueOr } from "../known.ts";

/** Groups that cannot grow, and groups whose launches fail. */
export const headroom: Check = (facts) =>
  valueOr(facts.groups, []).flatMap(({ group: { name, desired, max }, failedLaunch }): Diagnosis[] => [
    ...(desired >= max
      ? [
          {
            severity: "warning" as const,
            code: "no_headroom",
            resource: name,
            what: `Desired capacity is ${desired}, and MaxSize is ${max}.`,
            why: "More demand is capped (metric CapacityCapped) and its jobs wait.",
            fix: "Raise MaxSize, or accept that this is the limit.",
          },
        ]
      : []),
    ...(failedLaunch === undefined
      ? []
      : [
          {
            severity: "error" as const,
            code: "launch_failed",
            resource: name,
            what: `The newest launch failed: ${failedLaunch}`,
            why: "Desired capacity is raised, and no host comes of it.",
            fix: "Mend what AWS names: quota, capacity (more types or zones), image, key, profile or subnet.",
          },
        ]),
  ]);
