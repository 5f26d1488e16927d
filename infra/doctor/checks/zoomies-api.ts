import { zoomiesPoolTag } from "../../../lib/capacity/group-fleet.ts";
import type { Check, Diagnosis } from "../diagnosis.ts";
import { poolsOf, zoomiesGroups } from "../fleets.ts";
import { valueOr } from "../known.ts";

const why = "Drover sees no host as empty, and none joins or leaves.";

/** What Zoomies' API answers to reads, and whether it has the pools that groups are tagged with. */
export const zoomiesApi: Check = (facts) => {
  const { zoomies } = facts;
  if (zoomies === undefined) return [];
  const failed = zoomies.reads.find(({ outcome }) => typeof outcome === "object");
  const found: Diagnosis[] = [];
  if (failed !== undefined && typeof failed.outcome === "object") {
    const what = `Zoomies could not be asked: ${failed.outcome.failed}.`;
    const fix = "Check ZoomiesApiUrl and the network from here; the functions may see it otherwise, from their VPC.";
    found.push({ severity: "error", code: "zoomies_unreachable", resource: "ZoomiesApiUrl", what, why, fix });
  }
  for (const [secret, reads] of Map.groupBy(zoomies.reads, (read) => read.secret)) {
    if (reads.some(({ outcome }) => outcome === "unauthorized")) {
      const what = "Zoomies does not know the token in this secret.";
      const fix = "Make an API token of role admin in Zoomies and put it here. The stack generated something else.";
      found.push({ severity: "error", code: "zoomies_token_refused", resource: secret, what, why, fix });
    }
    const scopes = reads.filter(({ outcome }) => outcome === "forbidden").map(({ scope }) => scope);
    if (scopes.length > 0) {
      const what = `The token may not use ${scopes.join(", ")}.`;
      const fix = "Give it role admin and the scopes of docs/zoomies.md.";
      found.push({ severity: "error", code: "zoomies_scope_missing", resource: secret, what, why, fix });
    }
  }
  const pools = valueOr(zoomies.pools, undefined);
  for (const { group } of pools === undefined ? [] : zoomiesGroups(facts)) {
    for (const pool of poolsOf(group.tags).filter((id) => !pools?.includes(id))) {
      found.push({
        severity: "error",
        code: "pool_unknown",
        resource: group.name,
        tag: zoomiesPoolTag + pool,
        what: `Zoomies has no pool ${pool}.`,
        why: "No event will ever name it, and no host of the group leaves while it is tagged.",
        fix: `Correct or remove ${zoomiesPoolTag}${pool}.`,
      });
    }
  }
  return found;
};
