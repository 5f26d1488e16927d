import { describedGroups } from "../capacity/auto-scaling-groups.ts";
import { describedHooks } from "../capacity/auto-scaling-hooks.ts";
import { autoScalingMembers } from "../capacity/members.ts";
import type { Environment } from "../edge/environment.ts";
import { modeOf } from "../edge/mode.ts";
import { commonParts } from "./demand-parts.ts";
import { httpJoinsApi } from "./http-api.ts";
import type { JoinParts } from "./join-parts.ts";
import { observingJoinsApi } from "./observing-api.ts";
import { scalingClients } from "./scaling-clients.ts";
import { zoomiesConnections } from "./zoomies-connections.ts";

/** The parts of the join on real clients; undefined where the API's address or the hosts' role is not set. */
export function joinParts(env: Environment): JoinParts | undefined {
  const connect = zoomiesConnections(env);
  const hostRoleArn = env.optional("DROVER_ZOOMIES_HOST_ROLE_ARN");
  if (connect === undefined || hostRoleArn === undefined) return undefined;
  const { reads } = scalingClients();
  const { records, trail, clock, logger, metrics, newToken } = commonParts(env);
  const joins = connect(env.text("DROVER_ZOOMIES_JOINS_SECRET"), "Zoomies token for joins");
  return {
    groups: describedGroups(reads, env.text("DROVER_STACK")),
    records,
    trail,
    clock,
    logger,
    metrics,
    newToken,
    members: autoScalingMembers(reads),
    hooks: describedHooks(reads),
    joins: modeOf(env) === "act" ? httpJoinsApi(joins) : observingJoinsApi(httpJoinsApi(joins)),
    zoomiesUrl: joins.url,
    hostRoleArn,
    joinDeadlineMs: env.minutes("DROVER_JOIN_DEADLINE_MINUTES"),
  };
}
