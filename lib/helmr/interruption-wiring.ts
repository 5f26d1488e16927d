import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { sentTokenCacheMs } from "../edge/bearer-token.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import type { Clock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { modeOf } from "../edge/mode.ts";
import { secretsManagerSource } from "../edge/secret-source.ts";
import type { Records } from "../ledger/records.ts";
import { capacityToken } from "./capacity-token.ts";
import type { ControlPlane } from "./control-plane.ts";
import { httpControlPlane } from "./http-control-plane.ts";
import { observingControlPlane } from "./observing-control-plane.ts";
import { ledgerPauses, type Pauses } from "./pause.ts";

/** The Control Plane and the operators' pauses, where its URL is set. */
export function helmrInterruption(
  env: Environment,
  records: Records,
  clock: Clock,
): { controlPlane: Pick<ControlPlane, "hosts" | "drain">; pauses: Pauses } | undefined {
  const baseUrl = env.optional("DROVER_HELMR_URL");
  if (baseUrl === undefined) return undefined;
  const secrets = new SecretsManagerClient(clientTimeouts(1_500, 2));
  const source = secretsManagerSource(secrets, env.text("DROVER_HELMR_SECRET"));
  const { token, refused } = capacityToken(source, clock, { cacheMs: sentTokenCacheMs });
  const controlPlane = httpControlPlane({ baseUrl, token, refused });
  const pauses = ledgerPauses(records, clock);
  const isActing = modeOf(env) === "act";
  return { controlPlane: isActing ? controlPlane : observingControlPlane(controlPlane, { plans: false }), pauses };
}
