import type { EC2Client } from "@aws-sdk/client-ec2";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { type Cloud, createCloud } from "../../infra/local/aws/cloud.ts";
import { inProcessClient } from "../../infra/local/aws/in-process.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { type KiciScaler, templateOf } from "../../infra/local/scalers.ts";
import { ec2InstanceTypes } from "../../lib/capacity/ec2-instance-types.ts";
import { ec2Instances } from "../../lib/capacity/ec2-instances.ts";
import { ec2LaunchTemplates } from "../../lib/capacity/ec2-launch-templates.ts";
import { ec2Launches } from "../../lib/capacity/ec2-launches.ts";
import { type AgentRecord, ledgerAgents } from "../../lib/kici/agent-record.ts";
import type { DoorParts } from "../../lib/kici/front-door.ts";
import type { LaunchParts } from "../../lib/kici/parts.ts";
import { reap } from "../../lib/kici/reap.ts";
import { scaleDownDoor } from "../../lib/kici/scale-down-door.ts";
import { scaleUpDoor } from "../../lib/kici/scale-up-door.ts";
import { ledgerCoolOffs } from "../../lib/ledger/cool-offs.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import type { Item } from "../../lib/ledger/table.ts";
import { MemoryLiveSets } from "../ledger/memory-live-sets.ts";
import { Actor, type Call } from "./interleavings-gates.ts";
import {
  callOf,
  gatedSets,
  gatedTable,
  keeping,
  silent,
  silentTrail,
  WatchedTable,
  warm,
} from "./interleavings-ports.ts";

export type Act = "up" | "down" | "reap";
export type Told = { status: number; body: { status?: string; code?: string; instanceId?: string } };

export interface Ground {
  readonly scaler?: Partial<KiciScaler>;
  readonly describeLagMs?: number;
  /** The first offering has no capacity. */
  readonly firstIsFull?: boolean;
}

const stack = "drover";
export const scaler = "aws-linux";
export const agent = "scaler-event-1a2b3c4d";
const key = { pk: `kici#${scaler}`, sk: `agent#${agent}` };
const startOfTime = Date.UTC(2026, 8, 5, 12);
/** The function's own timeout, as template.yaml says it. */
export const functionMs = 25_000;

const payloads: Readonly<Record<"up" | "down", string>> = {
  up: JSON.stringify({
    scalerName: scaler,
    agentId: agent,
    labels: ["default", "kici:agent:event"],
    mandatoryLabels: [],
    resources: {},
    orchestratorUrl: "wss://ci.example.com/ws",
    claimCode: "c0de".repeat(16),
    requestId: "request-1",
  }),
  down: JSON.stringify({ scalerName: scaler, agentId: agent, reason: "shutdown", requestId: "request-2" }),
};

/** Real front doors over real adapters, a simulated EC2 and a ledger in memory, every call behind its actor's gate. */
export class InterleavingWorld {
  readonly clock = new ManualClock(startOfTime);
  readonly cloud: Cloud;
  readonly sets = new MemoryLiveSets(this.clock);
  readonly table = new WatchedTable();
  /** Instances that were ever launched. */
  launches = 0;
  /** What must never happen, noticed while it happened. */
  readonly wrong: string[] = [];

  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
    const describeLagMs = ground.describeLagMs ?? 0;
    this.cloud = createCloud({ clock: this.clock, describeLagMs, timings: { boot: 0, shutdown: 0 } });
    this.cloud.createLaunchTemplate(templateOf({ name: scaler, ...ground.scaler }, stack));
    if (ground.firstIsFull) this.cloud.setCapacity("m7i.large", "eu-central-1a", "none");
    this.cloud.on((event) => {
      if (event.type === "instance-state" && event.reason === "launched") this.#launched();
    });
  }

  actor(name: string, act: Act): Actor<Told> {
    const actor: Actor<Told> = new Actor(name, () => this.#invoke(act, this.#parts(actor), actor.name));
    return actor;
  }

  /** An invocation that nothing disturbs. */
  async act(act: Act): Promise<Told> {
    return this.#invoke(act, this.#parts(undefined), act);
  }

  record(): AgentRecord | undefined {
    return this.table.value<AgentRecord>(key);
  }

  alive(): string[] {
    const states = new Set<string | undefined>(["pending", "running", "stopping", "stopped"]);
    return this.cloud
      .allInstances()
      .filter(({ State }) => states.has(State?.Name))
      .map(({ InstanceId }) => InstanceId ?? "");
  }

  async places(): Promise<number> {
    const all = await Promise.all((await this.sets.sets()).map((set) => this.sets.places(set)));
    return all.flat().length;
  }

  async state(): Promise<string> {
    this.cloud.settle();
    const instances = [...this.cloud.world.instances.values()].map(({ id, state }) => `${id} ${state}`);
    const sets = await Promise.all((await this.sets.sets()).map((set) => this.sets.places(set)));
    const items = this.table.all().map(({ sk, version, writer, body }) => `${sk} ${version} ${writer} ${body}`);
    return [this.clock.now(), ...items, JSON.stringify(sets), ...instances].join("\n");
  }

  /** The intent must be in the ledger before the instance is, and no intent is written once the agent was withdrawn. */
  #launched(): void {
    this.launches += 1;
    if (this.launches > 1) this.wrong.push("a second instance was launched");
    const record = this.record();
    const [instance] = [...this.cloud.world.instances.values()].slice(-1);
    if (record?.attempt?.token !== instance?.clientToken) this.wrong.push("an instance without its intent");
  }

  #parts(actor: Actor<Told> | undefined): LaunchParts & DoorParts {
    const { clock, cloud } = this;
    const step = <T>(call: Call, effect: () => Promise<T>): Promise<T> =>
      actor === undefined ? effect() : actor.step(call, effect);
    let tokens = 0;
    const newToken = () => `${actor?.name ?? "undisturbed"}-${tokens++}`;
    const records = ledgerRecords(
      gatedTable(this.table, step, (item) => this.#put(item)),
      clock,
      newToken,
    );
    const inner = inProcessClient(cloud);
    const client = {
      send: (command: Parameters<typeof inner.send>[0]) => step(callOf(command), () => inner.send(command)),
    } as unknown as EC2Client;
    const clients = { reads: client, mutations: client };
    const unchanging = inner as unknown as EC2Client;
    return {
      stack,
      instances: ec2Instances(clients, stack),
      launches: ec2Launches(client),
      ...warm(this.#ground, () => ({
        templates: keeping(ec2LaunchTemplates(unchanging, stack)),
        types: keeping(ec2InstanceTypes(unchanging)),
      })),
      agents: ledgerAgents(records),
      coolOffs: ledgerCoolOffs(records, clock),
      liveSets: gatedSets(this.sets, step),
      isPaused: async () => false,
      trail: silentTrail,
      clock,
      logger: silent,
      metrics: { count: () => {} },
      newToken,
      // What a signature is worth is tested at the front door.
      secret: { accepts: async () => true },
      replayMs: 300_000,
      reply: (answer) => answer,
    };
  }

  #put(item: Item): void {
    if (item.pk !== key.pk || item.sk !== key.sk) return;
    const before = this.record();
    const after = JSON.parse(item.body) as AgentRecord;
    if (before?.withdrawn === undefined) return;
    if (after.withdrawn === undefined) this.wrong.push("the tombstone was lost");
    const isTakenUp = after.phase === "launching" && after.lease?.owner !== before.lease?.owner;
    if (isTakenUp || after.attempt?.token !== before.attempt?.token)
      this.wrong.push("an attempt was begun after the withdrawal");
  }

  async #invoke(act: Act, parts: LaunchParts & DoorParts, name: string): Promise<Told> {
    if (act === "reap") {
      const cursor = { read: async () => "", write: async () => {} };
      const { failed } = await reap(parts, cursor, this.clock.now() + 100_000);
      return { status: failed > 0 ? 500 : 200, body: {} };
    }
    const door = act === "up" ? scaleUpDoor(parts) : scaleDownDoor(parts);
    const context = { awsRequestId: name, getRemainingTimeInMillis: () => functionMs } as Context;
    const { statusCode = 0, body = "{}" } = await door(this.#request(act), context);
    return { status: statusCode, body: JSON.parse(body) };
  }

  #request(act: "up" | "down"): APIGatewayProxyEventV2 {
    const timestamp = String(Math.floor(this.clock.now() / 1000));
    const headers = { "webhook-id": "id", "webhook-timestamp": timestamp, "webhook-signature": "v1," };
    return { headers, body: payloads[act], isBase64Encoded: false } as unknown as APIGatewayProxyEventV2;
  }
}
