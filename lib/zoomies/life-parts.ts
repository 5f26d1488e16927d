import { EC2Client } from "@aws-sdk/client-ec2";
import type { AutoScalingClients } from "../capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../capacity/ec2-instance-states.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import type { Environment } from "../edge/environment.ts";
import type { HostParts } from "./host-parts.ts";
import { httpHostsApi, httpJoinsApi } from "./http-api.ts";
import { zoomiesConnections } from "./zoomies-connections.ts";

/** The parts of the host half on real clients; undefined where the API's address is not set. */
export function lifeParts(env: Environment, clients: AutoScalingClients): HostParts | undefined {
  const connect = zoomiesConnections(env);
  if (connect === undefined) return undefined;
  return {
    hosts: httpHostsApi(connect(env.text("DROVER_ZOOMIES_HOSTS_SECRET"), "Zoomies token for hosts")),
    joins: httpJoinsApi(connect(env.text("DROVER_ZOOMIES_JOINS_SECRET"), "Zoomies token for joins")),
    shrink: autoScalingShrink(clients),
    hooks: autoScalingHooks(clients),
    states: ec2InstanceStates(new EC2Client(clientTimeouts(2_000, 2))),
    settings: {
      schedulerIntervalMs: env.seconds("DROVER_ZOOMIES_INTERVAL_SECONDS"),
      joinDeadlineMs: env.minutes("DROVER_JOIN_DEADLINE_MINUTES"),
    },
  };
}
