import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { autoScalingGroups } from "../../lib/capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../lib/capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../../lib/capacity/ec2-instance-states.ts";
import { observingGroups } from "../../lib/capacity/observing.ts";
import { bearerToken, sentTokenCacheMs } from "../../lib/edge/bearer-token.ts";
import { clientTimeouts } from "../../lib/edge/client-timeouts.ts";
import { httpSend } from "../../lib/edge/http-call.ts";
import type { Logger } from "../../lib/edge/logger.ts";
import { secretsManagerSource } from "../../lib/edge/secret-source.ts";
import { observingHostActs } from "../../lib/zoomies/host-acts.ts";
import type { HostParts } from "../../lib/zoomies/host-parts.ts";
import { httpHostsApi, httpJoinsApi } from "../../lib/zoomies/http-api.ts";
import { observingLife } from "../../lib/zoomies/life-parts.ts";
import type { DemandParts } from "../../lib/zoomies/parts.ts";
import type { Ledger } from "../cli/ledger.ts";
import { localClient } from "../cli/local-aws.ts";
import { outputOf } from "../cli/target.ts";
import type { Deployed } from "../doctor/facts.ts";

const minuteMs = 60_000;
/** An operator's machine may be far from the region. */
const timeoutMs = 10_000;

export interface PlanParts {
  readonly demand: DemandParts;
  /** undefined: the stack has no address of Zoomies' API. */
  readonly life: HostParts | undefined;
}

/** What zoomies-reconciler has in this stack, as in observe mode: no part of it could change anything. */
export function planParts(stack: Deployed, ledger: Ledger, endpoint: string | undefined): PlanParts {
  const settings = { ...clientTimeouts(timeoutMs, 3), ...localClient(endpoint) };
  const { name, parameters } = stack;
  const amount = (parameter: string) => {
    const value = Number(parameters[parameter]);
    if (value > 0) return value;
    throw new Error(`The stack ${name} has no parameter ${parameter} above 0: it is of another release.`);
  };
  const reads = new AutoScalingClient(settings);
  const scaling = { reads, mutations: reads };
  const demand: DemandParts = {
    groups: observingGroups(autoScalingGroups(scaling, name)),
    records: ledger.records,
    trail: ledger.trail,
    clock: ledger.clock,
    logger: quiet,
    metrics: { count: () => undefined },
    newToken: () => "",
    settings: { freshMs: amount("ReadingFreshMinutes") * minuteMs, leaseMs: 0, raiseTimeoutMs: 0 },
  };
  const url = parameters["ZoomiesApiUrl"] ?? "";
  if (url === "") return { demand, life: undefined };

  const secrets = new SecretsManagerClient(settings);
  const send = httpSend();
  const open = (output: string) => {
    const source = secretsManagerSource(secrets, outputOf(stack, output));
    return { url, send, timeoutMs, token: bearerToken(source, ledger.clock, output, sentTokenCacheMs) };
  };
  const life = observingLife({
    hosts: httpHostsApi(open("ZoomiesHostsTokenArn")),
    joins: httpJoinsApi(open("ZoomiesJoinsTokenArn")),
    shrink: autoScalingShrink(scaling),
    hooks: autoScalingHooks(scaling),
    acts: observingHostActs,
    states: ec2InstanceStates(new EC2Client(settings)),
    settings: {
      schedulerIntervalMs: amount("ZoomiesIntervalSeconds") * 1_000,
      joinDeadlineMs: amount("JoinDeadlineMinutes") * minuteMs,
    },
  });
  return { demand, life };
}

const quiet: Logger = { log: () => undefined, with: () => quiet };
