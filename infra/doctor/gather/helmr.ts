import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { declaredWorkerGroups } from "../../../lib/capacity/helmr-fleets.ts";
import { systemClock } from "../../../lib/edge/clock.ts";
import { secretsManagerSource } from "../../../lib/edge/secret-source.ts";
import { capacityToken } from "../../../lib/helmr/capacity-token.ts";
import { ControlPlaneError } from "../../../lib/helmr/control-plane.ts";
import { httpControlPlane } from "../../../lib/helmr/http-control-plane.ts";
import type { Deployed, GroupFacts, HelmrFacts } from "../facts.ts";
import { known } from "../known.ts";

/** The Control Plane's deployment, and whether it knows what the groups' tags name. It is asked for no plan: that would publish evidence. */
export async function gatherHelmr(
  secrets: SecretsManagerClient,
  { parameters, outputs }: Deployed,
  groups: readonly GroupFacts[],
): Promise<HelmrFacts> {
  const source = secretsManagerSource(secrets, outputs["HelmrCapacityTokenArn"] ?? "");
  const token = capacityToken(source, systemClock, { cacheMs: 60_000 }).token;
  const opened = await known(async () =>
    httpControlPlane({ baseUrl: parameters["HelmrControlPlaneUrl"] ?? "", token }),
  );
  if (opened.unread !== undefined) return { deployment: opened, unknown: opened };
  const controlPlane = opened.value;
  try {
    const deployment = await known(() => controlPlane.deployment());
    if (deployment.unread !== undefined) return { deployment, unknown: deployment };
    const region = parameters["HelmrRegionId"] ?? "default";
    const unknown = await known(async () => {
      const missing: { group: string; pool: string | undefined }[] = [];
      for (const { name, fleets } of declaredWorkerGroups(groups.map(({ group }) => group))) {
        if (name === "") continue;
        const id = await orMissing(async () => (await controlPlane.resolveGroup(region, name)).id);
        if (id === undefined) missing.push({ group: name, pool: undefined });
        for (const { pool } of id === undefined ? [] : fleets) {
          const found = await orMissing(async () => (await controlPlane.resolvePool(id ?? "", pool)).id);
          if (found === undefined) missing.push({ group: name, pool });
        }
      }
      return missing;
    });
    return { deployment, unknown };
  } finally {
    controlPlane.close();
  }
}

async function orMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ControlPlaneError && error.code === "not_found") return undefined;
    throw error;
  }
}
