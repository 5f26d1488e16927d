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
import { UsageError } from "../local/send/usage-error.ts";
import type { WorldFile } from "../local/world-file.ts";
import type { Given } from "./arguments.ts";
import { tokenAtHand } from "./token.ts";

/** What a command works with; each part is made, and what it needs is asked for, when it is first used. */
export interface Reach {
  readonly clock: Clock;
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
  options: Given["options"],
  variables: NodeJS.ProcessEnv,
  running: () => WorldFile | undefined,
): Reach {
  const isElsewhere = options.url !== undefined || options.stack !== undefined || options.table !== undefined;
  const world = isElsewhere ? undefined : running();
  const wanted = (value: string | undefined, option: string): string => {
    if (value !== undefined && value !== "") return value;
    const instead = isElsewhere ? "" : ", or start a local world that has it with npm start";
    throw new UsageError(`Give --${option}${instead}.`);
  };
  const closing: (() => void)[] = [];

  function tokenSource(): () => Promise<string> {
    const atHand = tokenAtHand(options["token-file"], variables) ?? world?.secrets.helmr;
    if (options.secret === undefined && atHand !== undefined) return async () => atHand;
    const id = wanted(options.secret, "secret or --token-file, or set DROVER_HELMR_TOKEN");
    const client = new SecretsManagerClient({ ...clientTimeouts(3_000, 2), ...localClient(world?.aws) });
    return capacityToken(secretsManagerSource(client, id), systemClock, { cacheMs: 60_000 }).token;
  }

  const controlPlane = once((): ControlPlane => {
    const baseUrl = wanted(options.url ?? world?.controlPlane, "url");
    const client = httpControlPlane({ baseUrl, token: tokenSource() });
    closing.push(client.close);
    return client;
  });
  const table = once(() => {
    const name = wanted(options.table ?? world?.table, "table");
    return dynamodbTable(new DynamoDBClient({ ...clientTimeouts(3_000, 3), ...localClient(world?.dynamodb) }), name);
  });
  const scaling = once(() => new AutoScalingClient({ ...clientTimeouts(5_000, 3), ...localClient(world?.aws) }));
  const described = once(() => describedGroups(scaling(), wanted(options.stack ?? world?.stack, "stack")));
  const groups = once(() => helmrTagged(described()));
  const regionId = () => wanted(options["region-id"] ?? world?.helmrRegionId, "region-id");
  const records = once(() => ledgerRecords(table(), systemClock, randomUUID));

  return {
    clock: systemClock,
    controlPlane,
    groups,
    table,
    regionId,
    async workerGroup() {
      if (options.group !== undefined) return options.group;
      if (options.stack === undefined && world?.stack === undefined) return wanted(undefined, "group or --stack");
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
      instances: ec2InstanceStates(new EC2Client({ ...clientTimeouts(5_000, 3), ...localClient(world?.aws) })),
      launchFailures: autoScalingLaunchFailures(scaling()),
      controlPlane: controlPlane(),
      records: records(),
      table: table(),
      pauses: ledgerPauses(records(), systemClock),
      clock: systemClock,
      logger,
      settings: { ...defaultHelmrSettings, regionId: regionId(), workerRevision: options["worker-revision"] },
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
