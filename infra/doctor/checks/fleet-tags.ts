import { zoomiesFleet, zoomiesPoolTag } from "../../../lib/capacity/group-fleet.ts";
import { declaredWorkerGroups } from "../../../lib/capacity/helmr-fleets.ts";
import { kiciScalerTag, scalerFleet } from "../../../lib/capacity/scaler-fleet.ts";
import { type Check, type Diagnosis, diagnosed } from "../diagnosis.ts";
import { helmrGroups, scalers, zoomiesGroups } from "../fleets.ts";
import { valueOr } from "../known.ts";

const why = "A fleet whose tags cannot be read stands still: its demand is refused or waits.";

/** Tags as the functions read them. */
export const fleetTags: Check = (facts) =>
  [
    ...zoomiesGroups(facts).flatMap(({ group }) => zoomiesFleet(group).findings ?? []),
    ...declaredWorkerGroups(helmrGroups(facts).map(({ group }) => group)).flatMap(({ findings }) => findings),
    ...scalers(facts).flatMap(
      ({ id, name, defaultVersion: version, tags }) => scalerFleet({ id, name, version, tags }).findings ?? [],
    ),
  ].map((found) => diagnosed("error", why, found));

/** What carries drover:stack and nothing that says what for. */
export const servesNothing: Check = (facts) => {
  const served = new Set([...zoomiesGroups(facts), ...helmrGroups(facts)].map(({ group }) => group.name));
  const groups = valueOr(facts.groups, []).flatMap(({ group: { name } }) => (served.has(name) ? [] : [name]));
  const templates = valueOr(facts.templates, []).flatMap(({ name, group, tags }) =>
    group === undefined && tags[kiciScalerTag] === undefined ? [name] : [],
  );
  const tags = `${zoomiesPoolTag}POOL_ID, drover:helmr-group and drover:helmr-pool, or (launch template) ${kiciScalerTag}`;
  return [...groups, ...templates].map(
    (resource): Diagnosis => ({
      severity: "warning",
      code: "serves_nothing",
      resource,
      tag: "drover:stack",
      what: `${resource} carries drover:stack, and no tag that says what it serves.`,
      why: "Drover may change it and never will; somebody probably expects otherwise.",
      fix: `Add ${tags}, or remove drover:stack.`,
    }),
  );
};
