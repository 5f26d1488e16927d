import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Deployed } from "../doctor/facts.ts";
import { type Cloud, createCloud } from "./aws/cloud.ts";
import type { CloudOptions } from "./aws/create-world.ts";
import { ConnectionLost, createFaults, type Faults } from "./aws/faults.ts";
import { startAwsServer } from "./aws/server.ts";
import { localDeployment } from "./deployed.ts";
import { startDynamoDb } from "./dynamodb.ts";
import { groupOf, type ZoomiesFleet } from "./fleets.ts";
import { startGateway } from "./gateway.ts";
import { type InstanceRole, instanceRole } from "./instance-role.ts";
import { type LocalFunctions, localFunctions } from "./lambda/functions.ts";
import type { Invocation } from "./lambda/invocation.ts";
import { localQueues, type Queues } from "./queues.ts";
import { type KiciScaler, templateOf } from "./scalers.ts";
import { localSchedules, type Schedules } from "./schedules.ts";
import { readTemplate } from "./template.ts";

export type LocalWorldOptions = {
  clock: { now(): number };
  fleets: readonly ZoomiesFleet[];
  /** Of the HTTP API; 0, the default, picks a free one. */
  port?: number;
  /** Lambda executions at one time; an account has 1,000 by default. */
  concurrencyLimit?: number;
  /** The simulator's delays, lag and random source. */
  aws?: Omit<CloudOptions, "clock">;
  /** Stack parameters that differ from the template's defaults. */
  parameters?: Readonly<Record<string, string>>;
  /** What Zoomies signs with; by default a new random one. */
  zoomiesSecret?: string;
  scalers?: readonly KiciScaler[];
  /** What the KiCI workflows sign with, `whsec_` and base64; by default a new random one. */
  kiciSecret?: string;
  /** Zoomies' API and the two tokens that it takes; without it Drover only raises groups. */
  zoomiesApi?: { url: string; hostsToken: string; joinsToken: string };
  /** Starts a Helmr beside the cloud; the stack is set up for it. */
  helmr?: (cloud: Cloud, stack: string) => Promise<LocalHelmr>;
  onLine?: (functionId: string, line: string) => void;
  onInvocation?: (invocation: Invocation) => void;
  /** Every AWS call that a function makes, whatever becomes of it. */
  onCall?: (functionId: string, service: string, operation: string) => void;
};

/** A Control Plane that runs beside the world, and what the stack has to know of it. */
export type LocalHelmr = { url: string; regionId: string; token: string; close(): Promise<void> };

/** Everything the functions meet in AWS, on loopback ports. */
export type LocalWorld = {
  cloud: Cloud;
  faults: Faults;
  functions: LocalFunctions;
  schedules: Schedules;
  queues: Queues;
  stack: string;
  /** The ledger's table. */
  table: string;
  /** URLs. */
  api: string;
  aws: string;
  dynamodb: string;
  secrets: { zoomies: { name: string; value: string }; kici: { name: string; value: string } };
  /** The stack's parameters and outputs. */
  deployed: Deployed;
  helmr: LocalHelmr | undefined;
  /** What every instance carries and signs with. */
  role: InstanceRole;
  fleets: readonly ZoomiesFleet[];
  addFleet(fleet: ZoomiesFleet): void;
  /** Gives the launch template's id. */
  addScaler(scaler: KiciScaler): string;
  close(): Promise<void>;
};

const root = new URL("../../", import.meta.url);
const stack = "drover-local";
const region = "eu-west-1";
const account = "123456789012";

/** Starts a world from template.yaml: what is deployed and what runs here come from the same declaration. */
export async function startLocalWorld(options: LocalWorldOptions): Promise<LocalWorld> {
  const cloud = createCloud({ region, account, ...options.aws, clock: options.clock });
  const faults = createFaults();
  const place = { stack, region, account, secretArn: cloud.createEmptySecret };
  const role = instanceRole(account);
  const { zoomiesApi } = options;
  const helmr = await options.helmr?.(cloud, stack);
  const ofHelmr = helmr === undefined ? {} : { HelmrControlPlaneUrl: helmr.url, HelmrRegionId: helmr.regionId };
  const ofApi = zoomiesApi === undefined ? {} : { ZoomiesApiUrl: zoomiesApi.url, ZoomiesHostRoleArn: role.arn };
  const parameters = { Zoomies: "on", Kici: "on", ...ofApi, ...ofHelmr, ...options.parameters };
  const file = fileURLToPath(new URL("template.yaml", root));
  const template = readTemplate(file, place, parameters);
  const table = only(template.tables, "table").name;
  // What a parameter leaves out of the stack has no secret in it either.
  const secret = (id: string, value: string) => {
    const name = template.secrets.find((each) => each.id === id)?.name;
    if (name !== undefined) cloud.putSecret(name, value);
    return { name: name ?? id, value };
  };
  const zoomies = secret("ZoomiesWebhookSecret", options.zoomiesSecret ?? randomBytes(24).toString("hex"));
  const kici = secret("KiciSecret", options.kiciSecret ?? `whsec_${randomBytes(32).toString("base64")}`);
  if (zoomiesApi !== undefined) {
    secret("ZoomiesHostsToken", zoomiesApi.hostsToken);
    secret("ZoomiesJoinsToken", zoomiesApi.joinsToken);
  }
  if (helmr !== undefined) {
    secret("HelmrCapacityToken", helmr.token);
  }

  const closing: (() => Promise<void>)[] = helmr === undefined ? [] : [helmr.close];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const dynamodb = await startDynamoDb(template.tables);
    closing.push(dynamodb.close);
    const watched = watchedFaults(faults, () => functions, options.onCall);
    const aws = await startAwsServer({ cloud, faults: watched, dynamodb: { port: dynamodb.port } });
    closing.push(aws.close);
    const functions = localFunctions({
      definitions: template.functions,
      folder: new URL("functions/", root),
      shared: { AWS_ENDPOINT_URL: aws.url },
      region,
      account,
      concurrencyLimit: options.concurrencyLimit ?? 1000,
      onLine: options.onLine,
      onInvocation: options.onInvocation,
    });
    closing.push(async () => functions.close());
    const gateway = await startGateway(
      functions,
      { apiId: "local", account, region },
      options.port ?? 0,
      role.identities,
    );
    closing.push(gateway.close);
    const schedules = localSchedules(functions, options.clock, { region, account });
    closing.push(async () => schedules.stop());
    const queues = localQueues(template.queueing, functions, cloud, options.clock, { region, account });
    closing.push(async () => queues.stop());

    const fleets: ZoomiesFleet[] = [];
    const addFleet = (fleet: ZoomiesFleet) => {
      cloud.createGroup(fleet.name, groupOf(fleet, stack));
      fleets.push(fleet);
    };
    for (const fleet of options.fleets) addFleet(fleet);
    const addScaler = (scaler: KiciScaler) => cloud.createLaunchTemplate(templateOf(scaler, stack));
    for (const scaler of options.scalers ?? []) addScaler(scaler);
    const urls = { api: gateway.url, aws: aws.url, dynamodb: dynamodb.url };
    return {
      cloud,
      faults,
      functions,
      schedules,
      queues,
      stack,
      table,
      ...urls,
      secrets: { zoomies, kici },
      deployed: localDeployment(file, template, { stack, api: gateway.url, parameters }),
      helmr,
      role,
      fleets,
      addFleet,
      addScaler,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The switchboard as the simulator's server uses it: an environment that a fault kills is ended in Lambda too, and what
 * an environment of an earlier world still sends finds nobody, though this world may have got that one's port.
 */
function watchedFaults(faults: Faults, functions: () => LocalFunctions, onCall: LocalWorldOptions["onCall"]): Faults {
  return Object.assign(Object.create(faults) as Faults, {
    async perform(...[call, ...rest]: Parameters<Faults["perform"]>) {
      const owner = functions().ownerOf(call.caller);
      if (call.caller.startsWith("ASIA") && owner === undefined) {
        throw new ConnectionLost("an environment of another world");
      }
      if (owner !== undefined) onCall?.(owner, call.service, call.operation);
      try {
        return await faults.perform(call, ...rest);
      } finally {
        if (faults.isDead(call.caller)) functions().kill(call.caller);
      }
    },
  });
}

function only<T>(all: readonly T[], what: string): T {
  const [first, ...more] = all;
  if (first === undefined || more.length > 0)
    throw new Error(`The template must have one ${what}, and has ${all.length}.`);
  return first;
}
