import { EC2Client } from "@aws-sdk/client-ec2";
import type { AutoScalingClients } from "../capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../capacity/ec2-instance-states.ts";
import { observingHooks, observingShrink } from "../capacity/observing.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import type { Environment } from "../edge/environment.ts";
import { modeOf } from "../edge/mode.ts";
import { hostActs, observingHostActs } from "./host-acts.ts";
import type { HostParts } from "./host-parts.ts";
import { httpHostsApi, httpJoinsApi } from "./http-api.ts";
import { observingHostsApi, observingJoinsApi } from "./observing-api.ts";
import { zoomiesConnections } from "./zoomies-connections.ts";

/** The parts of the host half on real clients; undefined where the API's address is not set. */
export function lifeParts(env: Environment, clients: AutoScalingClients): HostParts | undefined {
  const connect = zoomiesConnections(env);
  if (connect === undefined) return undefined;
  const parts: HostParts = {
    hosts: httpHostsApi(connect(env.text("DROVER_ZOOMIES_HOSTS_SECRET"), "Zoomies token for hosts")),
    joins: httpJoinsApi(connect(env.text("DROVER_ZOOMIES_JOINS_SECRET"), "Zoomies token for joins")),
    shrink: autoScalingShrink(clients),
    hooks: autoScalingHooks(clients),
    acts: hostActs,
    states: ec2InstanceStates(new EC2Client(clientTimeouts(2_000, 2))),
    settings: {
      schedulerIntervalMs: env.seconds("DROVER_ZOOMIES_INTERVAL_SECONDS"),
      joinDeadlineMs: env.minutes("DROVER_JOIN_DEADLINE_MINUTES"),
    },
  };
  return modeOf(env) === "act" ? parts : observingLife(parts);
}

/** The same for a stack that only observes. */
export const observingLife = ({ hosts, joins, shrink, hooks, ...parts }: HostParts): HostParts => ({
  ...parts,
  hosts: observingHostsApi(hosts),
  joins: observingJoinsApi(joins),
  shrink: observingShrink(shrink),
  hooks: observingHooks(hooks),
  acts: observingHostActs,
});
