import { zoomiesPoolTag } from "../../../lib/capacity/group-fleet.ts";
import { architectureOf } from "../../../lib/capacity/offerings.ts";
import { kiciScalerTag } from "../../../lib/capacity/scaler-fleet.ts";
import type { Check, Diagnosis } from "../diagnosis.ts";
import { poolsOf, scalers, zoomiesGroups } from "../fleets.ts";
import { valueOr } from "../known.ts";

/** Two groups for one Zoomies pool. Helmr's are among the findings of its tags. */
export const poolsServedTwice: Check = (facts) => {
  const groups = Map.groupBy(
    zoomiesGroups(facts).flatMap(({ group }) => poolsOf(group.tags).map((pool) => ({ pool, name: group.name }))),
    ({ pool }) => pool,
  );
  return Array.from(groups).flatMap(([pool, served]): Diagnosis[] => {
    const names = served.map(({ name }) => name).sort();
    if (names.length < 2) return [];
    const tag = zoomiesPoolTag + pool;
    return [
      {
        severity: "error",
        code: "pool_served_twice",
        resource: names.join(" and "),
        tag,
        what: `Pool ${pool} is tagged on ${names.join(" and ")}.`,
        why: "Drover cannot tell which of them to raise, and refuses the pool's events with 422.",
        fix: `Leave ${tag} on one of them.`,
      },
    ];
  });
};

/** Two launch templates for one scaler and one architecture, or a template whose types do not agree on one. */
export const scalersServedTwice: Check = (facts) => {
  const types = valueOr(facts.instanceTypes, undefined);
  if (types === undefined) return [];
  const found: Diagnosis[] = [];
  const first = new Map<string, string>();
  for (const { name, tags } of scalers(facts)) {
    const named = (tags["drover:instance-types"] ?? "").split(" ").filter((type) => type !== "");
    const own = named.map((type) => types.get(type)).filter((type) => type !== undefined);
    const architecture = architectureOf(own);
    if (named.length > 0 && (architecture === undefined || own.length < named.length)) {
      found.push({
        severity: "error",
        code: "instance_types",
        resource: name,
        tag: "drover:instance-types",
        what: "drover:instance-types names types that this region does not have, or of two architectures.",
        why: "The template launches nothing.",
        fix: "Name types of the image's architecture that this region has.",
      });
      continue;
    }
    const key = `${tags[kiciScalerTag]} ${architecture}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, name);
    else
      found.push({
        severity: "error",
        code: "scaler_served_twice",
        resource: `${other} and ${name}`,
        tag: kiciScalerTag,
        what: `Scaler ${tags[kiciScalerTag]} has two ${architecture} templates: ${other} and ${name}.`,
        why: "Drover cannot tell which to launch from, and refuses the scaler's events with 422.",
        fix: `Leave ${kiciScalerTag} on one of them.`,
      });
  }
  return found;
};
