import { zoomiesPoolTag } from "../../lib/capacity/group-fleet.ts";
import { helmrGroupTag, helmrPoolTag } from "../../lib/capacity/helmr-fleet.ts";
import { kiciScalerTag } from "../../lib/capacity/scaler-fleet.ts";
import type { Facts, GroupFacts, TemplateFacts } from "./facts.ts";
import { valueOr } from "./known.ts";

/** Groups that some Zoomies pool is tagged on. */
export const zoomiesGroups = ({ groups }: Facts): GroupFacts[] =>
  valueOr(groups, []).filter(({ group: { tags } }) => poolsOf(tags).length > 0);

/** Ids of the Zoomies pools in a group's tags. */
export const poolsOf = (tags: Readonly<Record<string, string>>): string[] =>
  Object.keys(tags).flatMap((tag) => (tag.startsWith(zoomiesPoolTag) ? [tag.slice(zoomiesPoolTag.length)] : []));

/** Groups that name a Worker group or a pool of Helmr. */
export const helmrGroups = ({ groups }: Facts): GroupFacts[] =>
  valueOr(groups, []).filter(({ group: { tags } }) => helmrGroupTag in tags || helmrPoolTag in tags);

/** Launch templates that serve a KiCI scaler. */
export const scalers = ({ templates }: Facts): TemplateFacts[] =>
  valueOr(templates, []).filter(({ group, tags }) => group === undefined && kiciScalerTag in tags);
