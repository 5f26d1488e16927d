import type { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import type { EC2Client } from "@aws-sdk/client-ec2";
import type { APIGatewayProxyEventV2WithIAMAuthorizer, Context } from "aws-lambda";
import { type Cloud, createCloud } from "../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../infra/local/aws/faults.ts";
import { inProcessClient } from "../../infra/local/aws/in-process.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { groupOf, type ZoomiesFleet } from "../../infra/local/fleets.ts";
import { launchHook } from "../../infra/local/launch-hook.ts";
import { autoScalingGroups } from "../../lib/capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../lib/capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../../lib/capacity/ec2-instance-states.ts";
import { autoScalingMembers } from "../../lib/capacity/members.ts";
import type { LogFields, Logger } from "../../lib/edge/logger.ts";
import type { MetricName, Metrics } from "../../lib/edge/metrics.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { steadyTrail } from "../../lib/ledger/steady-trail.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { ledgerTrail } from "../../lib/ledger/trail.ts";
import { hostActs } from "../../lib/zoomies/host-acts.ts";
import { type HostsRecord, hostsKey } from "../../lib/zoomies/host-notes.ts";
import type { HostParts } from "../../lib/zoomies/host-parts.ts";
import { type JoinAnswer, zoomiesJoin } from "../../lib/zoomies/join.ts";
import type { JoinParts } from "../../lib/zoomies/join-parts.ts";
import type { DemandParts } from "../../lib/zoomies/parts.ts";
import { type DemandRun, reconcileDemand } from "../../lib/zoomies/reconcile-demand.ts";
import { madeCall } from "../iam/made-calls.ts";
import { MemoryTable } from "../ledger/memory-table.ts";
import { FakeZoomies } from "./fake-zoomies.ts";
import { noon } from "./made-readings.ts";

const account = "123456789012";
export const stack = "prod";
/** A group whose hosts Drover looks after; hosts with 4 slots. */
export const verified = (more: Partial<ZoomiesFleet> & { hooks?: boolean } = {}): ZoomiesFleet => ({
  name: "linux",
  pools: ["pool_a"],
  slotsPerHost: 4,
  maxSize: 10,
  ...more,
  tags: { "drover:scale-in": "verified", ...more.tags },
  group: { ...(more.hooks === false ? {} : { hooks: [launchHook] }), ...more.group },
});

/** A metric, or one of its outcomes. */
type CountName = MetricName | `${MetricName} ${string}`;

/** The real host half on the simulated AWS and a Zoomies behind its port, in one process, on a clock that tests move. */
export class LifeWorld {
  readonly clock = new ManualClock(noon);
  readonly cloud: Cloud = createCloud({ region: "eu-west-1", account, clock: this.clock });
  readonly faults: Faults = createFaults();
  readonly zoomies = new FakeZoomies(this.clock);
  /** How every call of Drover's travels, to AWS, the ledger and Zoomies: a test can lose it on the way. */
  travel: <T>(call: string, effect: () => Promise<T>) => Promise<T> = (_, effect) => effect();
  readonly #items = new MemoryTable();
  readonly table: Table = {
    get: (keys) => this.travel("ledger get", () => this.#items.get(keys)),
    put: (item, condition) => this.travel("ledger put", () => this.#items.put(item, condition)),
    query: (pk, range) => this.travel("ledger query", () => this.#items.query(pk, range)),
  };
  readonly lines: { level: string; message: string; fields: LogFields }[] = [];
  readonly counts: Partial<Record<CountName, number>> = {};
  readonly parts: DemandParts;
  readonly life: HostParts;
  readonly join: JoinParts;
  /** Instances whose user data fails: they never ask. */
  readonly silent = new Set<string>();
  #tokens = 0;

  constructor(...fleets: readonly ZoomiesFleet[]) {
    this.zoomies.travel = (call, effect) => this.travel(`zoomies ${call.split(" ")[0]}`, effect);
    const client = (functionId = "ZoomiesReconciler") => {
      const onCall = (service: string, operation: string) => madeCall(functionId, service, operation);
      const aws = inProcessClient(this.cloud, { faults: this.faults, onCall });
      const send = (command: Parameters<typeof aws.send>[0]) =>
        this.travel(`aws ${command.constructor.name}`, () => aws.send(command));
      return { send, destroy: () => undefined } as unknown as AutoScalingClient;
    };
    const clients = { reads: client(), mutations: client() };
    const ofJoin = client("ZoomiesJoin");
    const newToken = () => {
      this.#tokens += 1;
      return `token-${this.#tokens}`;
    };
    const records = ledgerRecords(this.table, this.clock, newToken);
    const logger: Logger = {
      log: (level, message, fields = {}) => void this.lines.push({ level, message, fields }),
      with: () => logger,
    };
    const metrics: Metrics = {
      count: (...[name, value, properties]) => {
        const outcome = properties?.["Outcome"];
        const counted: CountName = outcome === undefined ? name : `${name} ${outcome}`;
        this.counts[counted] = (this.counts[counted] ?? 0) + value;
      },
    };
    this.parts = {
      groups: autoScalingGroups(clients, stack),
      records,
      trail: steadyTrail(ledgerTrail(records, this.table, this.clock, newToken), { logger, metrics }),
      clock: this.clock,
      logger,
      metrics,
      newToken,
      settings: { freshMs: 15 * 60_000, leaseMs: 20_000, raiseTimeoutMs: 2_000 },
    };
    this.life = {
      hosts: this.zoomies,
      joins: this.zoomies,
      shrink: autoScalingShrink(clients),
      hooks: autoScalingHooks(clients),
      acts: hostActs,
      states: ec2InstanceStates(client() as unknown as EC2Client),
      settings: { schedulerIntervalMs: 10_000, joinDeadlineMs: 10 * 60_000 },
    };
    this.join = {
      ...this.parts,
      groups: autoScalingGroups({ reads: ofJoin, mutations: ofJoin }, stack),
      members: autoScalingMembers(ofJoin),
      hooks: autoScalingHooks({ reads: ofJoin, mutations: ofJoin }),
      joins: this.zoomies,
      zoomiesUrl: "https://zoomies.example.com",
      hostRoleArn: `arn:aws:iam::${account}:role/ci/zoomies-host`,
      joinDeadlineMs: this.life.settings.joinDeadlineMs,
    };
    for (const fleet of fleets) {
      this.cloud.createGroup(fleet.name, groupOf(fleet, stack));
      for (const pool of fleet.pools) this.zoomies.addPool(pool);
    }
  }

  instances(group = "linux") {
    return (this.cloud.group(group)?.Instances ?? []).map(({ InstanceId = "", LifecycleState = "" }) => ({
      id: InstanceId,
      state: String(LifecycleState),
    }));
  }

  desired = (group = "linux") => this.cloud.group(group)?.DesiredCapacity ?? 0;

  /** Ask for a token as the instance would. */
  async ask(instance: string, iam: Record<string, string> = {}): Promise<{ status: number; answer: JoinAnswer }> {
    const event = { requestContext: { accountId: account, authorizer: { iam: { ...identity(instance), ...iam } } } };
    const asked = event as unknown as APIGatewayProxyEventV2WithIAMAuthorizer;
    const reply = await zoomiesJoin(this.join)(asked, { awsRequestId: "request" } as Context);
    return { status: reply.statusCode ?? 0, answer: JSON.parse(reply.body ?? "{}") as JoinAnswer };
  }

  /** Every instance that waits in its hook asks, and joins with what it gets. */
  async boot(group = "linux"): Promise<void> {
    for (const { id, state } of this.instances(group)) {
      const isBooting = state === "Pending:Wait" || (state === "InService" && !this.#hasHook(group));
      if (!isBooting || this.silent.has(id) || this.zoomies.hostNamed(id) !== undefined) continue;
      const { status, answer } = await this.ask(id);
      if (status === 200) this.zoomies.join(answer.token, answer.name);
    }
  }

  #hasHook(group: string): boolean {
    const { LifecycleHooks } = this.cloud.call("auto-scaling", "DescribeLifecycleHooks", {
      AutoScalingGroupName: group,
    }) as { LifecycleHooks: unknown[] };
    return LifecycleHooks.length > 0;
  }

  run = (forMs = 45_000): Promise<DemandRun> => reconcileDemand(this.parts, this.clock.now() + forMs, this.life);

  /** So many minutes of the world: agents of ended instances fall silent, the scheduler passes, Drover runs. */
  async minutes(count: number, each: () => unknown = () => undefined): Promise<void> {
    for (let minute = 0; minute < count; minute += 1) {
      for (let pass = 0; pass < 6; pass += 1) {
        this.clock.advance(10_000);
        this.cloud.settle();
        this.hush();
        await this.boot();
        this.zoomies.pass();
        await each();
      }
      await this.run();
    }
  }

  /** The hosts of instances that no longer run give no heartbeat. */
  hush(): void {
    for (const host of this.zoomies.rows.values()) {
      if (!host.name.startsWith("i-")) continue;
      const state = this.cloud.instance(host.name)?.State?.Name;
      if (state === "running" || state === "pending") continue;
      host.healthy = false;
      for (const runner of this.zoomies.runnersOn(host.id)) this.zoomies.endRunner(runner.id);
    }
  }

  async record(group = "linux"): Promise<HostsRecord | undefined> {
    return (await this.parts.records.read<HostsRecord>(hostsKey(group)))?.value;
  }

  said = (message: string) => this.lines.filter((line) => line.message === message).map(({ fields }) => fields);
}

export const identity = (instance: string) => ({
  accountId: account,
  userArn: `arn:aws:sts::${account}:assumed-role/zoomies-host/${instance}`,
  userId: `AROAEXAMPLE:${instance}`,
});
