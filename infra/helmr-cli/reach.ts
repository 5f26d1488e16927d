import { randomUUID } from "node:crypto";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EC2Client } from "@aws-sdk/client-ec2";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { describedGroups } from "../../lib/capacity/auto-scaling-groups.ts";
import { describedHooks } from "../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../lib/capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../../lib/capacity/ec2-instance-states.ts";
import type { Group } from "../../lib/capacity/group.ts";
import { declaredWorkerGroups, helmrTagged, isPlaced } from "../../lib/capacity/helmr-fleets.ts";
import { autoScalingLaunchFailures } from "../../lib/capacity/launch-failures.ts";
import { clientTimeouts } from "../../lib/edge/client-timeouts.ts";
import { type Clock, systemClock } from "../../lib/edge/clock.ts";
import type { Logger } from "../../lib/edge/logger.ts";
import { secretsManagerSource } from "../../lib/edge/secret-source.ts";
import { capacityToken } from "../../lib/helmr/capacity-token.ts";
import type { ControlPlane } from "../../lib/helmr/control-plane.ts";
import type { DryParts } from "../../lib/helmr/dry-run.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import { defaultHelmrSettings } from "../../lib/helmr/parts.ts";
import { ledgerPauses, type Pauses } from "../../lib/helmr/pause.ts";
import { dynamodbTable } from "../../lib/ledger/dynamodb-table.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { localClient } from "../cli/local-aws.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Given } from "./arguments.ts";
import type { Place } from "./place.ts";
import { tokenAtHand } from "./token.ts";

/** What a command works with; each part is made, and what it needs is asked for, when it is first used. */
export interface Reach {
  readonly clock: Clock;
  /** Whether a plan may be asked for: as Drover itself does there. */
  readonly isPlanned: boolean;
  controlPlane(): ControlPlane;
  regionId(): string;
  /** The Worker group's name, as given or as the only one declared. */
  workerGroup(): Promise<string>;
  /** The stack's Auto Scaling groups that name a Worker group or a pool, without their instances. */
  groups(): Promise<readonly Group[]>;
  table(): Table;
  pauses(): Pauses;
  /** What a look at everything takes, AWS included; `logger` hears what was not read. */
  dryParts(logger: Logger): DryParts;
  close(): void;
}

export function reach(
  place: Place,
  { group, "token-file": tokenFile }: Given["options"],
  variables: NodeJS.ProcessEnv,
): Reach {
  const { local, stack } = place;
  const wanted = (value: string | undefined, option: string): string => {
    if (value !== undefined && value !== "") return value;
    throw new UsageError(`Give --stack NAME or --${option}, or start a local world that has it with npm start.`);
  };
  const closing: (() => void)[] = [];

  function tokenSource(): () => Promise<string> {
    const atHand = tokenAtHand(tokenFile, variables) ?? local?.secrets.helmr;
    if ((place.secret === undefined || local !== undefined) && atHand !== undefined) return async () => atHand;
    const id = wanted(place.secret, "secret or --token-file, or set DROVER_HELMR_TOKEN");
    const client = new SecretsManagerClient({ ...clientTimeouts(3_000, 2), ...localClient(local?.aws) });
    return capacityToken(secretsManagerSource(client, id), systemClock, { cacheMs: 60_000 }).token;
  }

  const controlPlane = once((): ControlPlane => {
    const baseUrl = wanted(place.url, "url");
    const client = httpControlPlane({ baseUrl, token: tokenSource() });
    closing.push(client.close);
    return client;
  });
  const table = once(() => {
    const name = wanted(place.table, "table");
    return dynamodbTable(new DynamoDBClient({ ...clientTimeouts(3_000, 3), ...localClient(local?.dynamodb) }), name);
  });
  const scaling = once(() => new AutoScalingClient({ ...clientTimeouts(5_000, 3), ...localClient(local?.aws) }));
  const described = once(() => describedGroups(scaling(), wanted(stack, "stack")));
  const groups = once(() => helmrTagged(described()));
  const regionId = () => wanted(place.regionId, "region-id");
  const records = once(() => ledgerRecords(table(), systemClock, randomUUID));

  return {
    clock: systemClock,
    isPlanned: place.isPlanned,
    controlPlane,
    groups,
    table,
    regionId,
    async workerGroup() {
      if (group !== undefined) return group;
      if (stack === undefined) return wanted(undefined, "group");
      const [only, ...more] = declaredWorkerGroups(await groups())
        .filter(isPlaced)
        .map(({ name }) => name);
      if (only !== undefined && more.length === 0) return only;
      const names = only === undefined ? "none" : [only, ...more].join(", ");
      throw new UsageError(`Give --group NAME. Worker groups that the stack's groups name: ${names}.`);
    },
    pauses: () => ledgerPauses(records(), systemClock),
    dryParts: (logger) => ({
      groups: described(),
      shrink: { facts: autoScalingShrink({ reads: scaling(), mutations: scaling() }).facts },
      hooks: describedHooks(scaling()),
      instances: ec2InstanceStates(new EC2Client({ ...clientTimeouts(5_000, 3), ...localClient(local?.aws) })),
      launchFailures: autoScalingLaunchFailures(scaling()),
      controlPlane: controlPlane(),
      records: records(),
      table: table(),
      pauses: ledgerPauses(records(), systemClock),
      clock: systemClock,
      logger,
      settings: { ...defaultHelmrSettings, regionId: regionId(), workerRevision: place.workerRevision },
    }),
    close: () => {
      for (const end of closing) end();
    },
  };
}

/** Makes it at the first call and gives the same one after. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
