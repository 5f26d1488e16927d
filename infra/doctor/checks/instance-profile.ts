import type { Check, Diagnosis } from "../diagnosis.ts";
import { zoomiesGroups } from "../fleets.ts";
import { integrations } from "../integrations.ts";
import { valueOr } from "../known.ts";
import { shrinks } from "./safety.ts";

/** Hosts that join by themselves sign their question with their own role, which comes with an instance profile. */
export const instanceProfile: Check = (facts) => {
  if (!integrations(facts.stack).zoomiesHosts) return [];
  const joining = new Set(zoomiesGroups(facts).flatMap((each) => (shrinks(each) ? [each.group.name] : [])));
  return valueOr(facts.templates, []).flatMap(({ name, group, launched }): Diagnosis[] =>
    group === undefined || !joining.has(group) || launched.hasInstanceProfile
      ? []
      : [
          {
            severity: "error",
            code: "no_instance_profile",
            resource: `${name} of ${group}`,
            what: `Version ${launched.number} has no instance profile.`,
            why: "Its instances have no role to ask with, so none joins and each is abandoned at the join deadline.",
            fix: "Name the profile that holds the role of ZoomiesHostRoleArn in a new version.",
          },
        ],
  );
};
