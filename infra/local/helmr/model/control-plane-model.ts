import { Credential } from "./credential.ts";
import { admit, enqueue, lease, placeQueued, release, withdraw } from "./demand.ts";
import type { ModelListener } from "./events.ts";
import { type Freshness, type FreshSpan, freshHeadroom, freshShare } from "./evidence.ts";
import { touchSupply } from "./fingerprint.ts";
import { fenceSilent } from "./loss.ts";
import { type ModelOptions, settingsOf } from "./options.ts";
import { addPool } from "./pools.ts";
import { phaseOf, receiptOf, reconcileReceipt, unsettled } from "./receipts.ts";
import { groupOf, hostOf, poolOf, type Region } from "./region.ts";
import type { Template } from "./shape.ts";
import type { Group, GroupState, Host, Lease, Pool, Profile, QueuedItem } from "./state.ts";
import { uuidV7 } from "./uuid.ts";
import { activate, authenticate, beginShutdown, completeDrain, enrol, observe } from "./worker-life.ts";

const fencerPeriodMs = 5_000;
const readyForMs = 120_000;

/**
 * A Control Plane in one process: what the capacity contract promises, on the clock and the random source it is given.
 * The capacity operations are in ../operations; here is what the rest of Helmr does: workers, callers and operators.
 */
export class ControlPlaneModel {
  readonly region: Region;
  readonly credential: Credential;
  readonly #listeners = new Set<ModelListener>();
  #fencedAt: number;
  #readySince: number | undefined;

  constructor(options: ModelOptions) {
    const { clock, random } = options;
    this.credential = new Credential(options.token);
    this.#fencedAt = clock.now();
    this.#readySince = Number.NEGATIVE_INFINITY;
    this.region = {
      settings: settingsOf(options),
      groups: new Map(),
      hosts: new Map(),
      receipts: new Map(),
      evidence: new Map(),
      deployment: {
        release: "2026.10.0",
        source_commit: "0000000000000000000000000000000000000000",
        worker_revision: 1,
        applied_schema_version: 1,
        schema_dirty: false,
      },
      now: () => clock.now(),
      newId: () => uuidV7(clock.now(), random),
      emit: (event) => {
        const stamped = { at: clock.now(), ...event };
        for (const listener of [...this.#listeners]) listener(stamped);
      },
    };
  }

  /** Listens to everything that is committed; the answer ends it. */
  on(listener: ModelListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets happen what is due by the clock: the fencer, every five seconds, and completions that were to come later. */
  settle(): void {
    const now = this.region.now();
    for (const groupId of this.region.receipts.keys()) unsettled(this.region, groupId);
    if (now - this.#fencedAt < fencerPeriodMs) return;
    this.#fencedAt = now;
    if (this.#readySince !== undefined && now - this.#readySince >= readyForMs) fenceSilent(this.region);
  }

  /** While the Control Plane is not ready, and for two minutes after, nobody is fenced for silence (helmr-notes 5). */
  setReady(ready: boolean): void {
    if (!ready) this.#readySince = undefined;
    else this.#readySince ??= this.region.now();
  }

  addGroup(name: string, regionId: string): Group {
    const group: Group = {
      id: this.region.newId(),
      regionId,
      name,
      status: "active",
      claimVersion: 1,
      supplyRevision: 1,
      pools: new Map(),
      rows: new Map(),
      queue: new Map(),
      profiles: [],
    };
    this.region.groups.set(group.id, group);
    return group;
  }

  addPool(groupId: string, name: string): Pool {
    return addPool(this.region, groupOf(this.region, groupId), name);
  }

  setGroupStatus(groupId: string, status: GroupState): void {
    groupOf(this.region, groupId).status = status;
    touchSupply(this.region, groupId);
    this.region.emit({ type: "group", groupId, status });
  }

  /** An administrator lets a pool drain: it is left out of plans, its hosts may still drain. */
  setPoolStatus(groupId: string, poolId: string, status: "active" | "draining"): void {
    poolOf(this.region, groupId, poolId).status = status;
    touchSupply(this.region, groupId);
    this.region.emit({ type: "pool", groupId, poolId, status });
  }

  retainProfile(groupId: string, profile: Profile): void {
    groupOf(this.region, groupId).profiles.push(profile);
  }

  /** Operator: a blocked operation whose host proved sound goes on; the rest ends by confirmed absence. */
  reconcile(groupId: string, operationKey: string): void {
    const receipt = receiptOf(this.region, groupId, operationKey);
    reconcileReceipt(this.region, receipt, hostOf(this.region, receipt.hostId));
  }

  readonly workers = {
    enrol: (groupId: string, poolName: string, resourceId: string): Host =>
      enrol(this.region, groupId, poolName, resourceId),
    authenticate: (hostId: string): number => authenticate(this.region, hostId),
    activate: (hostId: string, epoch: number, template: Template): void =>
      activate(this.region, hostId, epoch, template),
    observe: (hostId: string, epoch: number) => observe(this.region, hostId, epoch),
    beginShutdown: (hostId: string, epoch: number): void => beginShutdown(this.region, hostId, epoch),
    completeDrain: (hostId: string, epoch: number, claimVersion: number): void =>
      completeDrain(this.region, hostId, epoch, claimVersion),
  };

  readonly demand = {
    enqueue: (groupId: string, item: QueuedItem): void => enqueue(this.region, groupId, item),
    admit: (groupId: string, item: QueuedItem): void => admit(this.region, groupId, item),
    withdraw: (groupId: string, itemId: string): void => withdraw(this.region, groupId, itemId),
    place: (groupId: string) => placeQueued(this.region, groupId),
    lease: (hostId: string, wanted: Omit<Lease, "id">): string =>
      lease(this.region, hostOf(this.region, hostId), wanted),
    release: (hostId: string, leaseId: string): void => release(this.region, hostId, leaseId),
  };

  /** Spans in which admission had fresh evidence, oldest first. */
  freshSpans(groupId: string): readonly FreshSpan[] {
    return this.region.evidence.get(groupId)?.spans ?? [];
  }

  freshShare(groupId: string, from: number, to: number, by: Freshness = "age"): number {
    return freshShare(this.freshSpans(groupId), from, to, by);
  }

  hasFreshEvidence(groupId: string): boolean {
    return freshHeadroom(this.region, groupId) !== undefined;
  }

  /** The phases of all operations of a group that are not completed; the contract allows one at most. */
  unsettledOperations(groupId: string): string[] {
    const receipts = [...(this.region.receipts.get(groupId)?.values() ?? [])];
    return receipts.filter((each) => phaseOf(this.region, each) !== "completed").map((each) => each.operationKey);
  }
}
