import { randomBytes, randomUUID } from "node:crypto";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EC2Client } from "@aws-sdk/client-ec2";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { autoScalingGroups } from "../capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../capacity/ec2-instance-states.ts";
import { autoScalingLaunchFailures } from "../capacity/launch-failures.ts";
import { observingGroups, observingHooks, observingShrink } from "../capacity/observing.ts";
import { sentTokenCacheMs } from "../edge/bearer-token.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import { systemClock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { jsonLogger } from "../edge/logger.ts";
import { embeddedMetrics } from "../edge/metrics.ts";
import { modeOf } from "../edge/mode.ts";
import { secretsManagerSource } from "../edge/secret-source.ts";
import { uuidV7 } from "../edge/uuid-v7.ts";
import { dynamodbTable } from "../ledger/dynamodb-table.ts";
import { ledgerLeases } from "../ledger/leases.ts";
import { ledgerOperations } from "../ledger/operations.ts";
import { ledgerRecords } from "../ledger/records.ts";
import { steadyTrail } from "../ledger/steady-trail.ts";
import { ledgerTrail } from "../ledger/trail.ts";
import { helmrActs, observingHelmrActs } from "./acts.ts";
import { capacityToken } from "./capacity-token.ts";
import type { DrainDetail, DrainPhase } from "./drain-operation.ts";
import { httpControlPlane } from "./http-control-plane.ts";
import { observingControlPlane } from "./observing-control-plane.ts";
import { defaultHelmrSettings, type HelmrParts } from "./parts.ts";
import { ledgerPauses } from "./pause.ts";
import { openUpdates } from "./update-stream.ts";
import { waitFor } from "./wait-for.ts";

/**
 * The reconciler's parts on real clients. `DROVER_HELMR_URL` must be set; the token is read when it is first sent, so
 * that a deployment starts before somebody has put one there.
 */
export function helmrParts(env: Environment): HelmrParts {
  const stack = env.text("DROVER_STACK");
  const baseUrl = env.text("DROVER_HELMR_URL");
  const write = (line: string) => console.log(line);
  const table = dynamodbTable(new DynamoDBClient(clientTimeouts(700, 3)), env.text("DROVER_TABLE"));
  const records = ledgerRecords(table, systemClock, randomUUID);
  const clients = {
    reads: new AutoScalingClient(clientTimeouts(2_500, 2)),
    mutations: new AutoScalingClient(clientTimeouts(defaultHelmrSettings.mutationTimeoutMs, 1)),
  };
  const secrets = new SecretsManagerClient(clientTimeouts(1_500, 2));
  const source = secretsManagerSource(secrets, env.text("DROVER_HELMR_SECRET"));
  const { token, refused } = capacityToken(source, systemClock, { cacheMs: sentTokenCacheMs });
  const revision = env.optional("DROVER_HELMR_WORKER_REVISION");
  const voice = { logger: jsonLogger(write), metrics: embeddedMetrics(write, systemClock, stack) };
  const parts: HelmrParts = {
    groups: autoScalingGroups(clients, stack),
    shrink: autoScalingShrink(clients),
    hooks: autoScalingHooks(clients),
    instances: ec2InstanceStates(new EC2Client(clientTimeouts(2_500, 2))),
    launchFailures: autoScalingLaunchFailures(clients.reads),
    controlPlane: httpControlPlane({ baseUrl, token, refused }),
    acts: helmrActs,
    followUpdates: (onChange, onLost) => openUpdates({ baseUrl, token, refused, onChange, onLost }),
    records,
    leases: ledgerLeases(records, systemClock),
    operations: ledgerOperations<DrainPhase, DrainDetail>(records, table, systemClock),
    trail: steadyTrail(ledgerTrail(records, table, systemClock, randomUUID), voice),
    pauses: ledgerPauses(records, systemClock),
    clock: systemClock,
    ...voice,
    newToken: randomUUID,
    newId: () => uuidV7(systemClock.now(), randomBytes(10)),
    wait: waitFor,
    settings: { ...defaultHelmrSettings, regionId: env.text("DROVER_HELMR_REGION_ID"), workerRevision: revision },
  };
  if (modeOf(env) === "act") return parts;
  return observingHelmr(parts, { plans: env.optional("DROVER_OBSERVE_HELMR_PLANS") === "true" });
}

/** The same for a stack that only observes. */
export const observingHelmr = (parts: HelmrParts, options: { readonly plans: boolean }): HelmrParts => ({
  ...parts,
  groups: observingGroups(parts.groups),
  shrink: observingShrink(parts.shrink),
  hooks: observingHooks(parts.hooks),
  controlPlane: observingControlPlane(parts.controlPlane, options),
  acts: observingHelmrActs,
});
