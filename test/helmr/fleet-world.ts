import { setImmediate as turn } from "node:timers/promises";
import type { GroupSpec } from "../../infra/local/aws/auto-scaling/group-spec.ts";
import { createCloud } from "../../infra/local/aws/cloud.ts";
import { createFaults, type FaultRule } from "../../infra/local/aws/faults.ts";
import { seededRandom } from "../../infra/local/aws/random.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { bindCloud } from "../../infra/local/helmr/cloud-binding.ts";
import { createHelmrFaults, type HelmrFaults } from "../../infra/local/helmr/faults.ts";
import { ControlPlaneModel } from "../../infra/local/helmr/model/control-plane-model.ts";
import type { ModelEvent } from "../../infra/local/helmr/model/events.ts";
import type { ModelOptions } from "../../infra/local/helmr/model/options.ts";
import type { Host, Pool } from "../../infra/local/helmr/model/state.ts";
import { createUpdateFeed } from "../../infra/local/helmr/update-feed.ts";
import { createWorkers, type WorkerFate } from "../../infra/local/helmr/workers.ts";
import { createWorkload } from "../../infra/local/helmr/workload.ts";
import type { LogFields } from "../../lib/edge/logger.ts";
import type { MetricName } from "../../lib/edge/metrics.ts";
import type { CycleReport } from "../../lib/helmr/cycle-report.ts";
import { takeHold } from "../../lib/helmr/group-hold.ts";
import { type HelmrRun, helmrRun } from "../../lib/helmr/helmr-run.ts";
import { defaultHelmrSettings, type HelmrParts, type HelmrSettings } from "../../lib/helmr/parts.ts";
import { reconcileGroup } from "../../lib/helmr/reconcile-group.ts";
import { openSession } from "../../lib/helmr/session.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { start, template } from "../contract/helmr/setting.ts";
import { MemoryTable } from "../ledger/memory-table.ts";
import { fleetParts, stack } from "./fleet-parts.ts";

const regionId = "aws-us-east-1";

export interface FleetOptions {
  readonly group?: GroupSpec;
  /** Tags beside the three that place the group. */
  readonly tags?: Record<string, string>;
  readonly model?: Partial<ModelOptions>;
  readonly settings?: Partial<HelmrSettings>;
  readonly fate?: (instanceId: string) => WorkerFate;
  readonly pools?: readonly string[];
  /** Stands between the ledger and its table. */
  readonly table?: (table: Table) => Table;
}

/** Tags of a group that supplies this pool and is shrunk after two idle minutes. */
export const poolTags = (name: string, more: Record<string, string> = {}): Record<string, string> => ({
  "drover:stack": stack,
  "drover:helmr-group": "default",
  "drover:helmr-pool": name,
  "drover:scale-in": "verified",
  "drover:idle-minutes": "2",
  ...more,
});

/** A Worker group on simulated AWS, a Control Plane, a ledger and the reconciler, all on a clock that only the test moves. */
export class FleetWorld {
  readonly clock = new ManualClock(start);
  readonly random = seededRandom(7);
  readonly cloud = createCloud({ clock: this.clock, random: seededRandom(8) });
  readonly aws = createFaults();
  readonly helmr = createHelmrFaults();
  readonly model: ControlPlaneModel;
  readonly group;
  readonly workers;
  readonly workload;
  readonly feed;
  readonly memory = new MemoryTable();
  readonly table: Table;
  readonly lines: { level: string; message: string; fields: LogFields }[] = [];
  readonly counts: { name: MetricName; value: number }[] = [];
  readonly events: ModelEvent[] = [];
  /** Cycles that ended with an error while time passed. */
  readonly failures: unknown[] = [];
  readonly settings: HelmrSettings;
  #numbers = 0;

  constructor(options: FleetOptions = {}) {
    const { pools = ["general"] } = options;
    this.model = new ControlPlaneModel({
      clock: { now: () => this.cloud.world.now() },
      random: this.random,
      ...options.model,
    });
    this.model.on((event) => this.events.push(event));
    this.group = this.model.addGroup("default", regionId);
    const { model, cloud, random } = this;
    const timings = { bootMs: [20_000, 20_000] as const };
    const fate = options.fate === undefined ? {} : { fate: options.fate };
    this.workers = createWorkers({ model, agenda: cloud, random, timings, ...fate });
    this.workload = createWorkload({
      model,
      workers: this.workers,
      agenda: cloud,
      random,
      groupId: this.group.id,
      admission: "always",
    });
    this.feed = createUpdateFeed(model);
    bindCloud(cloud, this.workers);
    for (const name of pools) this.addPool(name, options);
    this.table = options.table?.(this.memory) ?? this.memory;
    this.settings = { ...defaultHelmrSettings, regionId, workerRevision: undefined, ...options.settings };
  }

  addPool(name: string, { group, tags }: FleetOptions = {}): Pool {
    const pool = this.model.addPool(this.group.id, name);
    const asg = `asg-${name}`;
    this.workers.serve(asg, { groupId: this.group.id, poolName: name, template });
    this.cloud.createGroup(asg, {
      minSize: 1,
      maxSize: 5,
      newInstancesProtected: true,
      suspended: ["AZRebalance"],
      ...group,
      tags: poolTags(name, tags),
    });
    return pool;
  }

  /** A number unlike any other of this world. */
  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  /** The parts of one invocation; `caller` is its name in faults. */
  parts(caller = "run"): HelmrParts {
    return fleetParts(this, caller);
  }

  /** One cycle of its own: takes the group, looks, acts, lets go. */
  async cycle(parts: HelmrParts = this.parts()): Promise<CycleReport> {
    const hold = await takeHold(parts, "default", parts.newToken(), this.settings.leaseMs);
    if (hold === undefined) throw new Error("Somebody holds the group.");
    try {
      return await reconcileGroup(parts, await openSession(parts, "default", hold));
    } finally {
      await hold.release().catch(() => {});
    }
  }

  /** Lets time pass, second by second, with a cycle every `cycleSeconds` where given. */
  async pass(seconds: number, cycleSeconds?: number): Promise<CycleReport | undefined> {
    let last: CycleReport | undefined;
    for (let second = 1; second <= seconds; second += 1) {
      this.clock.advance(1_000);
      this.settle();
      if (cycleSeconds === undefined || second % cycleSeconds !== 0) continue;
      last = await this.cycle().catch((error: unknown) => {
        this.failures.push(error);
        return undefined;
      });
    }
    return last;
  }

  /** Waits with a cycle every `cycleSeconds` until it holds. */
  async until(holds: () => boolean, { within = 1_200, every = 5 } = {}): Promise<void> {
    for (let waited = 0; !holds(); waited += every) {
      if (waited >= within) throw new Error(`It did not happen within ${within} seconds: ${holds}`);
      await this.pass(every, every);
    }
  }

  settle(): void {
    this.cloud.settle();
    this.model.settle();
  }

  /** Runs something that waits in the world's time: moves the clock whenever nothing else is left to do. */
  async drive<T>(running: Promise<T>, longestMs = 3_600_000): Promise<T> {
    let isOver = false;
    const over = running.finally(() => {
      isOver = true;
    });
    over.catch(() => {});
    const end = this.clock.now() + longestMs;
    for (;;) {
      for (let round = 0; round < 3 && !isOver; round += 1) await turn();
      if (isOver) return over;
      const next = Math.min(this.cloud.nextChangeAt() ?? Number.POSITIVE_INFINITY, this.clock.now() + 1_000);
      if (next > end) throw new Error("It did not end in time.");
      this.clock.set(Math.max(next, this.clock.now()));
      this.settle();
    }
  }

  run(budgetMs: number, caller = "run"): Promise<HelmrRun> {
    return this.drive(helmrRun(this.parts(caller), { budgetMs, remainingMs: () => budgetMs + 20_000 }));
  }

  /** A group that has its seed: one active host, primary pool sealed. */
  async seeded(hosts = 1): Promise<this> {
    await this.pass(90, 15);
    if (hosts > 1) {
      this.cloud.setDesired("asg-general", hosts);
      await this.pass(90, 15);
    }
    return this;
  }

  asg(name = "asg-general") {
    const group = this.cloud.group(name);
    if (group === undefined) throw new Error(`There is no group ${name}.`);
    const states = (group.Instances ?? []).map((instance) => String(instance.LifecycleState));
    const ids = (group.Instances ?? []).map(({ InstanceId }) => InstanceId ?? "");
    return { desired: group.DesiredCapacity ?? 0, min: group.MinSize ?? 0, max: group.MaxSize ?? 0, states, ids };
  }

  /** Rows of the Worker group, the newest of each machine, by machine. */
  hosts(): Host[] {
    return [...this.group.rows.values()].flatMap((rows) => rows.at(-1) ?? []);
  }

  hostsIn(status: Host["status"]): Host[] {
    return this.hosts().filter((host) => host.status === status);
  }

  /** Calls to AWS that change something. */
  mutations(): string[] {
    return this.aws.mutations().map(({ operation }) => operation);
  }

  helmrCalls(...operations: string[]): string[] {
    return this.helmr.calls.map(({ operation }) => operation).filter((operation) => operations.includes(operation));
  }

  awsFault(rule: FaultRule): () => void {
    return this.aws.add(rule);
  }

  helmrFault(rule: Parameters<HelmrFaults["add"]>[0]): () => void {
    return this.helmr.add(rule);
  }

  /** Work that is queued at Helmr and takes this long once it runs. */
  submit(count: number, seconds: number): void {
    for (let each = 0; each < count; each += 1) this.workload.submit({ durationMs: seconds * 1_000 });
  }
}
