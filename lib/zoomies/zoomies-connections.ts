import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { bearerToken, sentTokenCacheMs } from "../edge/bearer-token.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import { systemClock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { httpSend } from "../edge/http-call.ts";
import { secretsManagerSource } from "../edge/secret-source.ts";
import type { ZoomiesConnection } from "./http-api.ts";

/** One API call's longest time: a look and its mutation fit twice into a lease. */
const callTimeoutMs = 4_000;

/** Opens the API with the token of one secret each; undefined where no address is set. */
export function zoomiesConnections(
  env: Environment,
): ((secret: string, name: string) => ZoomiesConnection) | undefined {
  const url = env.optional("DROVER_ZOOMIES_API_URL");
  if (url === undefined) return undefined;
  const secrets = new SecretsManagerClient(clientTimeouts(1_500, 2));
  const send = httpSend();
  return (secret, name) => ({
    url,
    send,
    timeoutMs: callTimeoutMs,
    token: bearerToken(secretsManagerSource(secrets, secret), systemClock, name, sentTokenCacheMs),
  });
}
