import { deploymentReasons } from "../../../lib/helmr/deployment-check.ts";
import type { Check, Diagnosis } from "../diagnosis.ts";
import { valueOr } from "../known.ts";

/** Helmr's Control Plane: reachable, fit for drains, and of one mind with the tags about names. */
export const helmr: Check = (facts) => {
  const { helmr: seen, stack } = facts;
  if (seen === undefined) return [];
  const found: Diagnosis[] = [];
  const { deployment } = seen;
  if (deployment.unread !== undefined) {
    found.push({
      severity: "error",
      code: "helmr_unreachable",
      resource: "HelmrControlPlaneUrl",
      what: `The Control Plane gave no answer that counts. ${deployment.unread}`,
      why: "Evidence goes stale within 30 seconds, and Helmr admits new work against existing hosts only.",
      fix: "Check the URL, the network from here (the functions may be in a VPC), the certificate, and the token on both sides.",
    });
  } else {
    const expected = stack.parameters["HelmrWorkerRevision"];
    for (const reason of deploymentReasons(deployment.value, expected === "" ? undefined : expected)) {
      found.push({
        severity: "error",
        code: deployment.value.schema_dirty && reason.includes("schema") ? "helmr_schema_dirty" : "helmr_revision",
        resource: "HelmrControlPlaneUrl",
        what: `The deployment has ${reason}.`,
        why: "Drover starts no new drain on it.",
        fix: "Let the migration end or mend it; or set HelmrWorkerRevision to what is deployed, once you know that it fits.",
      });
    }
  }
  for (const { group, pool } of valueOr(seen.unknown, [])) {
    const missing = pool === undefined ? `Worker group ${group}` : `pool ${pool} in ${group}`;
    found.push({
      severity: "error",
      code: pool === undefined ? "worker_group_unknown" : "worker_pool_unknown",
      resource: pool === undefined ? group : pool,
      what: `Helmr has no ${missing} (region id ${stack.parameters["HelmrRegionId"] ?? "default"}).`,
      why: "Its Auto Scaling group stands still, and the Worker group's evidence is advisory only.",
      fix:
        pool === undefined
          ? "Correct drover:helmr-group, or HelmrRegionId."
          : `Make it: npm run helmr -- pools create ${pool}, with the same --stack.`,
    });
  }
  return found;
};
