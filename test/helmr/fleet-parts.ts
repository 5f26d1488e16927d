import type { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { inProcessClient } from "../../infra/local/aws/in-process.ts";
import { inProcessControlPlane } from "../../infra/local/helmr/in-process.ts";
import { uuidV7 } from "../../infra/local/helmr/model/uuid.ts";
import { autoScalingGroups } from "../../lib/capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../lib/capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../../lib/capacity/ec2-instance-states.ts";
import { autoScalingLaunchFailures } from "../../lib/capacity/launch-failures.ts";
import type { Logger } from "../../lib/edge/logger.ts";
import { helmrActs } from "../../lib/helmr/acts.ts";
import type { DrainDetail, DrainPhase } from "../../lib/helmr/drain-operation.ts";
import type { HelmrParts } from "../../lib/helmr/parts.ts";
import { ledgerPauses } from "../../lib/helmr/pause.ts";
import { ledgerLeases } from "../../lib/ledger/leases.ts";
import { ledgerOperations } from "../../lib/ledger/operations.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { ledgerTrail } from "../../lib/ledger/trail.ts";
import { madeCall } from "../iam/made-calls.ts";
import type { FleetWorld } from "./fleet-world.ts";

export const stack = "drover";

/** The reconciler's parts on a world's clock, table, cloud and Control Plane; `caller` is the invocation's name in faults. */
export function fleetParts(world: FleetWorld, caller: string): HelmrParts {
  const { clock, table, cloud } = world;
  const newToken = () => `${caller}-${world.nextNumber()}`;
  const records = ledgerRecords(table, clock, newToken);
  const client = inProcessClient(cloud, {
    faults: world.aws,
    caller,
    onCall: (service, operation) => madeCall("HelmrReconciler", service, operation),
  });
  const clients = { reads: client as unknown as AutoScalingClient, mutations: client as unknown as AutoScalingClient };
  const logger: Logger = {
    log: (level, message, fields = {}) => void world.lines.push({ level, message, fields }),
    with: () => logger,
  };
  const wait = (ms: number) => new Promise<void>((resolve) => cloud.at(clock.now() + ms, resolve));
  return {
    groups: autoScalingGroups(clients, stack),
    shrink: autoScalingShrink(clients),
    hooks: autoScalingHooks(clients),
    instances: ec2InstanceStates(client as unknown as EC2Client),
    launchFailures: autoScalingLaunchFailures(clients.reads),
    controlPlane: inProcessControlPlane(world.model, { faults: world.helmr, caller, wait }),
    acts: helmrActs,
    followUpdates: (onChange) => ({ close: world.feed.subscribe({ change: onChange, cut: () => {} }) }),
    records,
    leases: ledgerLeases(records, clock),
    operations: ledgerOperations<DrainPhase, DrainDetail>(records, table, clock),
    trail: ledgerTrail(records, table, clock, newToken),
    pauses: ledgerPauses(records, clock),
    clock,
    logger,
    metrics: { count: (...[name, value]) => void world.counts.push({ name, value }) },
    newToken,
    newId: () => uuidV7(clock.now(), world.random),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        cloud.at(clock.now() + ms, resolve);
      }),
    settings: world.settings,
  };
}
