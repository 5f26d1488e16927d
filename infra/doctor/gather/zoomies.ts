import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { bearerToken } from "../../../lib/edge/bearer-token.ts";
import { type Clock, systemClock } from "../../../lib/edge/clock.ts";
import { credentialUrl, httpSend } from "../../../lib/edge/http-call.ts";
import { secretsManagerSource } from "../../../lib/edge/secret-source.ts";
import { httpHostsApi } from "../../../lib/zoomies/http-api.ts";
import type { Deployed, ZoomiesFacts, ZoomiesRead } from "../facts.ts";
import { known } from "../known.ts";

const timeoutMs = 5_000;
const mostBytes = 16 * 1024 * 1024;
/** Reads without an effect, each needing one scope. The token id is nobody's: whoever may ask hears 404. */
const reads = [
  ["ZoomiesHostsTokenArn", "hosts:read", "/hosts"],
  ["ZoomiesHostsTokenArn", "runners:read", "/runners?limit=1"],
  ["ZoomiesHostsTokenArn", "pools:read", "/pools"],
  ["ZoomiesJoinsTokenArn", "joins:read", "/join-tokens/drover-doctor"],
] as const;

/** What each token may read, and which pools there are. Nothing is changed, so scopes that change are not proven. */
export async function gatherZoomies(
  secrets: SecretsManagerClient,
  { parameters, outputs }: Deployed,
  clock: Clock = systemClock,
): Promise<ZoomiesFacts> {
  const url = parameters["ZoomiesApiUrl"] ?? "";
  const tokenOf = (output: ZoomiesRead["secret"]) =>
    bearerToken(secretsManagerSource(secrets, outputs[output] ?? ""), clock, output, 60_000);
  const send = httpSend();

  async function read(output: ZoomiesRead["secret"], path: string): Promise<ZoomiesRead["outcome"]> {
    const token = await known(() => tokenOf(output).current());
    if (token.unread !== undefined) return "tokenless";
    const headers = { accept: "application/json", authorization: `Bearer ${token.value}` };
    const asked = await known(async () => {
      const address = new URL(`${credentialUrl(url).href.replace(/\/+$/, "")}/api/v1${path}`);
      return send({ method: "GET", url: address, headers, timeoutMs, mostBytes });
    });
    if (asked.unread !== undefined) return { failed: asked.unread };
    const { status } = asked.value;
    if (status === 401) return "unauthorized";
    if (status === 403) return "forbidden";
    return status === 200 || (status === 404 && path.startsWith("/join-tokens/"))
      ? "allowed"
      : { failed: `${path} answered ${status}` };
  }

  const outcomes: ZoomiesRead[] = [];
  for (const [secret, scope, path] of reads) outcomes.push({ secret, scope, outcome: await read(secret, path) });
  const pools = await known(async () => {
    const found = await httpHostsApi({ url, send, timeoutMs, token: tokenOf("ZoomiesHostsTokenArn") }).pools();
    return found.map(({ id }) => id);
  });
  return { reads: outcomes, pools };
}
