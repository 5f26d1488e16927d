import type { Environment } from "../edge/environment.ts";
import { modeOf } from "../edge/mode.ts";
import type { HostsApi } from "./api.ts";
import { httpHostsApi } from "./http-api.ts";
import { observingHostsApi } from "./observing-api.ts";
import { zoomiesConnections } from "./zoomies-connections.ts";

/** Zoomies' hosts, where its API's address is set. */
export function zoomiesInterruption(env: Environment): Pick<HostsApi, "hosts" | "cordon"> | undefined {
  const connect = zoomiesConnections(env);
  if (connect === undefined) return undefined;
  const hosts = httpHostsApi(connect(env.text("DROVER_ZOOMIES_HOSTS_SECRET"), "Zoomies token for hosts"));
  return modeOf(env) === "act" ? hosts : observingHostsApi(hosts);
}
