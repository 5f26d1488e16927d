import { createHash } from "node:crypto";
import { type Lease, release } from "../ledger/lease.ts";
import type { Records, Stored } from "../ledger/records.ts";
import type { Attempt } from "./attempt.ts";

export type Phase =
  /** An attempt is recorded and may have launched an instance; nobody knows of one yet. */
  | "launching"
  /** `instanceId` is the agent's instance. */
  | "launched"
  /** The last attempt ended without an instance. A repeat of the scale-up may begin another. */
  | "failed"
  /** Nothing of this agent runs any more, and nothing of it is launched again. */
  | "ended";

/** Everything that is known of one agent of one scaler; its identity is (scalerName, agentId) alone (kici-notes 1). */
export interface AgentRecord {
  readonly phase: Phase;
  /** Tells the same agent with another claim code; see {@link claimDigest}. Absent when the scale-up was never seen. */
  readonly claim?: string;
  readonly attempt?: Attempt;
  /** The kind of place that it has among its scaler's living agents: x86_64 or arm64. */
  readonly architecture?: string;
  /** Who drives the attempt now, and until when nobody else may. */
  readonly lease?: Lease;
  /** When a call of this attempt was last left without an answer that tells. */
  readonly unsureAt?: number;
  readonly instanceId?: string;
  /** When the instance became known, milliseconds since the epoch. */
  readonly launchedAt?: number;
  /** The tombstone: a scale-down came. It stands in the same item, so that no launch can miss it. */
  readonly withdrawn?: { readonly at: number; readonly reason: string };
}

export interface AgentName {
  readonly scaler: string;
  readonly agent: string;
}

/** How long a finished agent is remembered: KiCI redelivers for 7 days, and an operator by hand somewhat longer. */
const keptMs = 14 * 24 * 3_600_000;

/** The two names stand in separate parts of the key, so that no two agents share one whatever their names hold. */
const keyOf = ({ scaler, agent }: AgentName) => ({ pk: `kici#${scaler}`, sk: `agent#${agent}` });

/**
 * Compares claim codes without keeping one: a code is 256 random bits, so its digest tells nothing about it. Scaler and
 * agent go in, so that digests of different agents cannot be compared either.
 */
export function claimDigest({ scaler, agent }: AgentName, claimCode: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["claim", scaler, agent, claimCode]))
    .digest("hex");
}

/** Agents' records in the ledger. */
export interface Agents {
  read(name: AgentName): Promise<Stored<AgentRecord> | undefined>;
  readAll(names: readonly AgentName[]): Promise<(Stored<AgentRecord> | undefined)[]>;
  /** Writes over exactly what was read, or for the first time; a conflict gives what stands there now. */
  write(
    name: AgentName,
    read: Stored<AgentRecord> | undefined,
    value: AgentRecord,
  ): Promise<{ readonly written: boolean; readonly stored: Stored<AgentRecord> | undefined }>;
  /** Changes whatever stands there, again after every conflict; undefined from `next` leaves it as it is. */
  change(
    name: AgentName,
    next: (value: AgentRecord | undefined) => AgentRecord | undefined,
    read?: Stored<AgentRecord>,
  ): Promise<AgentRecord | undefined>;
}

export function ledgerAgents(records: Records): Agents {
  const write: Agents["write"] = async (name, read, value) => {
    const key = keyOf(name);
    const life = { lifeMs: lifetimeOf(value) };
    const result =
      read === undefined ? await records.create(key, value, life) : await records.replace(key, read, value, life);
    return { written: result.outcome === "written", stored: result.stored };
  };
  return {
    read: (name) => records.read<AgentRecord>(keyOf(name)),
    readAll: (names) => records.readAll<AgentRecord>(names.map(keyOf)),
    write,
    async change(name, next, read) {
      let stored = read ?? (await records.read<AgentRecord>(keyOf(name)));
      for (;;) {
        const value = next(stored?.value);
        if (value === undefined) return stored?.value;
        const result = await write(name, stored, value);
        if (result.written) return value;
        stored = result.stored;
      }
    },
  };
}

/** A living instance's record outlasts the instance: should it not, the reaper reads the instance's tags and writes it anew. */
const lifetimeOf = ({ attempt }: AgentRecord): number =>
  keptMs + (attempt === undefined ? 0 : attempt.lifetimeMinutes * 60_000);

/** The record after its instance became known; whoever drove the attempt is done with it. */
export function launched(record: AgentRecord, instanceId: string, now: number): AgentRecord {
  return { ...withoutLease(record), phase: "launched", instanceId, launchedAt: now };
}

export const concluded = (record: AgentRecord, phase: "failed" | "ended"): AgentRecord => ({
  ...withoutLease(record),
  phase,
});

export const withoutLease = (record: AgentRecord): AgentRecord =>
  record.lease === undefined ? record : { ...record, lease: release(record.lease) };
