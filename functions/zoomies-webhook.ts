import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { clientTimeouts } from "../lib/edge/client-timeouts.ts";
import { environment } from "../lib/edge/environment.ts";
import { secretsManagerSource } from "../lib/edge/secret-source.ts";
import { signingSecret } from "../lib/edge/signing-secret.ts";
import { capacityWebhook } from "../lib/zoomies/capacity-webhook.ts";
import { demandParts } from "../lib/zoomies/demand-parts.ts";

const env = environment(process.env);
const parts = demandParts(env);
const source = secretsManagerSource(
  new SecretsManagerClient(clientTimeouts(1_500, 2)),
  env.text("DROVER_ZOOMIES_SECRET"),
);

/** `POST /zoomies/capacity` */
export const handler = capacityWebhook({
  ...parts,
  secret: signingSecret(source, parts.clock, {
    cacheMs: 60_000,
    overlapMs: env.minutes("DROVER_SECRET_OVERLAP_MINUTES"),
  }),
  answerWithinMs: 7_000,
  replayMs: env.minutes("DROVER_REPLAY_MINUTES"),
});
