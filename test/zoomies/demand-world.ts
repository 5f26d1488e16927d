import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import type { Group, Groups, RaiseOutcome } from "../../lib/capacity/group.ts";
import type { LogFields, Logger } from "../../lib/edge/logger.ts";
import type { MetricName } from "../../lib/edge/metrics.ts";
import { groupKey } from "../../lib/ledger/readings.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { ledgerTrail } from "../../lib/ledger/trail.ts";
import type { ZoomiesRecord } from "../../lib/zoomies/group-record.ts";
import type { DemandParts } from "../../lib/zoomies/parts.ts";
import { MemoryTable } from "../ledger/memory-table.ts";
import { freshMs, noon } from "./made-readings.ts";

/** Groups that take a raise at once, fail when told to, and let a test act between a look and the raise. */
export class FakeGroups implements Groups {
  readonly all = new Map<string, Group>();
  readonly raises: { group: string; to: number }[] = [];
  /** What the next raises answer instead of accepting, first one first. */
  readonly answers: RaiseOutcome[] = [];
  /** What happens at the next looks before they answer, first one first. */
  readonly atLook: (() => unknown)[] = [];
  /** What happens at every look at one group by its name. */
  everyLook: ((name: string) => unknown) | undefined;

  add(group: Group): this {
    this.all.set(group.name, group);
    return this;
  }

  desired(name: string): number | undefined {
    return this.all.get(name)?.desired;
  }

  async owned(): Promise<Group[]> {
    return [...this.all.values()];
  }

  async tagged(tag: string): Promise<Group[]> {
    await this.atLook.shift()?.();
    return [...this.all.values()].filter(({ tags }) => tags[tag] !== undefined);
  }

  async named(name: string): Promise<Group | undefined> {
    await this.atLook.shift()?.();
    await this.everyLook?.(name);
    return this.all.get(name);
  }

  async raise(name: string, to: number): Promise<RaiseOutcome> {
    this.raises.push({ group: name, to });
    const answer = this.answers.shift();
    if (answer !== undefined) return answer;
    const group = this.all.get(name);
    if (group === undefined) return { outcome: "refused", code: "ValidationError", kind: "changed" };
    this.all.set(name, { ...group, desired: to });
    return { outcome: "accepted" };
  }
}

/** Everything that the demand half works with, in memory, on a clock that stands still. */
export class DemandWorld {
  readonly clock = new ManualClock(noon);
  readonly groups = new FakeGroups();
  readonly table = new MemoryTable();
  readonly lines: { level: string; message: string; fields: LogFields }[] = [];
  readonly counts: { name: MetricName; value: number }[] = [];
  #tokens = 0;

  readonly newToken = (): string => {
    this.#tokens += 1;
    return `token-${this.#tokens}`;
  };

  readonly records = ledgerRecords(this.table, this.clock, this.newToken);

  readonly #logger: Logger = {
    log: (level, message, fields = {}) => {
      this.lines.push({ level, message, fields });
    },
    with: () => this.#logger,
  };

  readonly parts: DemandParts = {
    groups: this.groups,
    records: this.records,
    trail: ledgerTrail(this.records, this.table, this.clock, this.newToken),
    clock: this.clock,
    logger: this.#logger,
    metrics: { count: (...[name, value]) => void this.counts.push({ name, value }) },
    newToken: this.newToken,
    settings: { freshMs, leaseMs: 20_000, raiseTimeoutMs: 2_500 },
  };

  async record(group: string): Promise<ZoomiesRecord | undefined> {
    return (await this.records.read<ZoomiesRecord>(groupKey(group)))?.value;
  }
}
