import type { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import type { EC2Client } from "@aws-sdk/client-ec2";
import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithIAMAuthorizer, Context } from "aws-lambda";
import type { Cloud } from "../../../infra/local/aws/cloud.ts";
import { inProcessClient } from "../../../infra/local/aws/in-process.ts";
import type { SignedRequest } from "../../../infra/local/zoomies/signed-request.ts";
import { autoScalingGroups, describedGroups } from "../../../lib/capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../../lib/capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../../../lib/capacity/ec2-instance-states.ts";
import { autoScalingMembers } from "../../../lib/capacity/members.ts";
import type { BearerToken } from "../../../lib/edge/bearer-token.ts";
import type { HttpSend } from "../../../lib/edge/http-call.ts";
import type { LogFields, Logger } from "../../../lib/edge/logger.ts";
import { ledgerRecords } from "../../../lib/ledger/records.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import { ledgerTrail } from "../../../lib/ledger/trail.ts";
import { capacityWebhook } from "../../../lib/zoomies/capacity-webhook.ts";
import { demandReconciler } from "../../../lib/zoomies/demand-reconciler.ts";
import { hostActs } from "../../../lib/zoomies/host-acts.ts";
import type { HostParts } from "../../../lib/zoomies/host-parts.ts";
import { httpHostsApi, httpJoinsApi } from "../../../lib/zoomies/http-api.ts";
import { type JoinAnswer, zoomiesJoin } from "../../../lib/zoomies/join.ts";
import type { DemandParts } from "../../../lib/zoomies/parts.ts";
import { type Life, life, type Peril, perilous } from "../crash-points.ts";
import type { VirtualTime } from "../virtual-time.ts";
import { account, freshMs, joinDeadlineMs, minute, schedulerIntervalMs, stack } from "./setting.ts";

export const signingSecret = "what the controller signs with";
export const hostsToken = "token-for-hosts";
export const joinsToken = "token-for-joins";
export const isDrover = (actor: string): boolean => actor.startsWith("drover");

const hostRole = "zoomies-host";
/** Of the functions, as the template has them. */
const timeoutsMs = { webhook: 9_000, join: 25_000, reconciler: 60_000 };

/** What a run says in the end when it came to all groups and something failed. */
const wholeRun = /^\d+ of \d+ groups could not be settled|^Zoomies could not be seen whole/;

export interface DroverWorld {
  readonly time: VirtualTime;
  readonly cloud: Cloud;
  readonly table: Table;
  readonly zoomies: HttpSend;
  readonly perils: { readonly ledger: Peril; readonly aws: Peril; readonly zoomies: Peril };
  readonly newToken: () => string;
  log(line: () => string): void;
}

export interface JoinReply {
  readonly status: number;
  readonly answer: JoinAnswer | undefined;
}

/** The real functions, each invocation a life of its own. Whoever asks a life that has ended never hears from it. */
export interface Drover {
  receive(request: SignedRequest): Promise<{ status: number; headers: Record<string, string> }>;
  join(instance: string): Promise<JoinReply>;
  /** One minute run: it did all it had to do, it came to all groups, or it broke off before. */
  reconcile(): Promise<"sound" | "whole" | "broken off">;
}

/** Drover on the world's ports, every one of which can fail it. */
export function drover(world: DroverWorld): Drover {
  let invocations = 0;
  const begin = (name: keyof typeof timeoutsMs): { alive: Life; context: Context } => {
    invocations += 1;
    const alive = life(`drover ${name} ${invocations}`);
    const endsAt = world.time.now() + timeoutsMs[name];
    // Lambda ends what runs out of its time.
    world.time.at(endsAt, alive.end);
    const context = {
      awsRequestId: `${name}-${invocations}`,
      getRemainingTimeInMillis: () => endsAt - world.time.now(),
    } as Context;
    return { alive, context };
  };

  return {
    async receive({ body, headers }) {
      const { alive, context } = begin("webhook");
      const { demand } = partsOf(world, alive);
      const secret = { accepts: async (check: (secret: Buffer) => boolean) => check(Buffer.from(signingSecret)) };
      const handler = capacityWebhook({ ...demand, secret, answerWithinMs: 7_000, replayMs: 5 * minute });
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      const event = { headers: Object.fromEntries(lower), body: body.toString(), isBase64Encoded: false };
      const answer = await handler(event as unknown as APIGatewayProxyEventV2, context);
      return { status: answer.statusCode ?? 200, headers: (answer.headers ?? {}) as Record<string, string> };
    },
    async join(instance) {
      const { alive, context } = begin("join");
      const { demand, hosts, reads } = partsOf(world, alive);
      const handler = zoomiesJoin({
        ...demand,
        groups: describedGroups(reads, stack),
        members: autoScalingMembers(reads),
        hooks: hosts.hooks,
        joins: hosts.joins,
        zoomiesUrl: "https://zoomies.example.com",
        hostRoleArn: `arn:aws:iam::${account}:role/${hostRole}`,
        joinDeadlineMs,
      });
      const answer = await handler(joinEvent(instance), context);
      const status = answer.statusCode ?? 200;
      return { status, answer: status === 200 ? (JSON.parse(answer.body ?? "{}") as JoinAnswer) : undefined };
    },
    async reconcile() {
      const { alive, context } = begin("reconciler");
      const { demand, hosts } = partsOf(world, alive);
      try {
        await demandReconciler(demand, hosts)({}, context);
        return "sound";
      } catch (error) {
        return error instanceof Error && wholeRun.test(error.message) ? "whole" : "broken off";
      }
    },
  };
}

function joinEvent(instance: string): APIGatewayProxyEventV2WithIAMAuthorizer {
  const iam = {
    accountId: account,
    userArn: `arn:aws:sts::${account}:assumed-role/${hostRole}/${instance}`,
    userId: `AROAEXAMPLE:${instance}`,
  };
  const event = { requestContext: { accountId: account, authorizer: { iam } } };
  return event as unknown as APIGatewayProxyEventV2WithIAMAuthorizer;
}

function partsOf(world: DroverWorld, alive: Life): { demand: DemandParts; hosts: HostParts; reads: AutoScalingClient } {
  const { time, perils, newToken } = world;
  const table = perilous(world.table, "ledger", alive, perils.ledger);
  const aws = perilous(inProcessClient(world.cloud, { caller: alive.name }), "aws", alive, perils.aws);
  const client = aws as unknown as AutoScalingClient;
  const clients = { reads: client, mutations: client };
  const records = ledgerRecords(table, time, newToken);
  const logger = loggerOf(world, alive);
  const { send } = perilous({ send: world.zoomies }, "zoomies", alive, perils.zoomies);
  const connect = (token: string) => ({
    url: "https://zoomies.example.com",
    send,
    timeoutMs: 4_000,
    token: bearer(token),
  });
  const demand: DemandParts = {
    groups: autoScalingGroups(clients, stack),
    records,
    trail: ledgerTrail(records, table, time, newToken),
    clock: time,
    logger,
    metrics: { count: () => {} },
    newToken,
    settings: { freshMs, leaseMs: 20_000, raiseTimeoutMs: 2_000 },
  };
  const hosts: HostParts = {
    hosts: httpHostsApi(connect(hostsToken)),
    joins: httpJoinsApi(connect(joinsToken)),
    shrink: autoScalingShrink(clients),
    hooks: autoScalingHooks(clients),
    acts: hostActs,
    states: ec2InstanceStates(aws as unknown as EC2Client),
    settings: { schedulerIntervalMs, joinDeadlineMs },
  };
  return { demand, hosts, reads: client };
}

const bearer = (token: string): BearerToken => ({ current: async () => token, after: async () => undefined });

function loggerOf(world: DroverWorld, alive: Life, more: LogFields = {}): Logger {
  return {
    log(level, message, fields = {}) {
      if (alive.alive) world.log(() => `${alive.name}: ${level} ${message} ${JSON.stringify({ ...more, ...fields })}`);
    },
    with: (fields) => loggerOf(world, alive, { ...more, ...fields }),
  };
}
