import type { Environment } from "../edge/environment.ts";
import type { HostsApi } from "./api.ts";
import { httpHostsApi } from "./http-api.ts";
import { zoomiesConnections } from "./zoomies-connections.ts";

/** Zoomies' hosts, where its API's address is set. In observe mode they are looked at and not cordoned. */
export function zoomiesInterruption(env: Environment): Pick<HostsApi, "hosts" | "cordon"> | undefined {
  const connect = zoomiesConnections(env);
  if (connect === undefined) return undefined;
  const hosts = httpHostsApi(connect(env.text("DROVER_ZOOMIES_HOSTS_SECRET"), "Zoomies token for hosts"));
  if (env.text("DROVER_MODE") === "act") return hosts;
  return { hosts: () => hosts.hosts(), cordon: (id) => hosts.host(id) };
}
