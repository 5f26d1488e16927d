import { unsafeToShrink } from "../capacity/safety.ts";
import { errorFields } from "../edge/logger.ts";
import { dryRecords } from "../ledger/dry-records.ts";
import { ledgerOperations } from "../ledger/operations.ts";
import type { Records } from "../ledger/records.ts";
import type { Table } from "../ledger/table.ts";
import type { CycleReport } from "./cycle-report.ts";
import { decideCycle } from "./decide-cycle.ts";
import type { DrainDetail, DrainPhase } from "./drain-operation.ts";
import { freshProof, type ProofParts } from "./fresh-proof.ts";
import { readMemory } from "./group-memory.ts";
import { openOperations } from "./open-operations.ts";
import type { LookParts } from "./parts.ts";
import type { Pause, Pauses } from "./pause.ts";
import { observeAndPlan, observeOnly } from "./planned-observation.ts";
import {
  type PolicyReplacement,
  type PrimaryDecision,
  policyReplacement,
  primarySelection,
} from "./policy-decision.ts";
import type { ControlPlaneReads, Outlook } from "./session.ts";

/** What a dry run works with: reads alone, by type. */
export interface DryParts extends LookParts, Omit<ProofParts, "groups"> {
  readonly groups: LookParts["groups"] & ProofParts["groups"];
  readonly controlPlane: ControlPlaneReads;
  readonly records: Pick<Records, "read">;
  /** For reading: nothing is put into it. */
  readonly table: Table;
  readonly pauses: Pick<Pauses, "read">;
}

/** What one cycle would see and decide now, and what it would read before it acts. */
export interface DryRun extends Pick<CycleReport, "looked" | "sighted" | "decision"> {
  readonly pause: Pause | undefined;
  /** By operation key, what is missing from the proof of each end that would be tried. */
  readonly proofs: ReadonlyMap<string, readonly string[]>;
  /** By Auto Scaling group, what stands against ending an instance in it (design: safe to shrink). */
  readonly unsafe: ReadonlyMap<string, ReturnType<typeof unsafeToShrink>>;
  readonly declared: readonly DeclaredStep[];
}

/** What the tags of a pool's group would change at Helmr. */
export interface DeclaredStep {
  readonly pool: string;
  readonly policy?: PolicyReplacement;
  readonly primary?: PrimaryDecision;
}

/** A session whose memory and operations are a copy: what a cycle notes down there is forgotten with it. */
export async function dryOutlook(parts: DryParts, name: string): Promise<Outlook> {
  const records = dryRecords(parts.records);
  const memory = await readMemory(records, name);
  const operations = ledgerOperations<DrainPhase, DrainDetail>(records, parts.table, parts.clock);
  const open = await openOperations(operations, memory, name, "dry-run");
  return { name, controlPlane: parts.controlPlane, memory, open, deployment: undefined };
}

/**
 * One cycle of a Worker group up to the point where it would act: the same look and decision as the live path's, without
 * a lease. It changes nothing at AWS, in the ledger or at Helmr, except that a plan publishes evidence there; without
 * `isPlanned`, and while the group is paused, none is asked for.
 */
export async function dryRun(parts: DryParts, name: string, isPlanned: boolean): Promise<DryRun> {
  const pause = await parts.pauses.read(name);
  const outlook = await dryOutlook(parts, name);
  const look = isPlanned && pause?.isPaused !== true ? observeAndPlan : observeOnly;
  const cycle = await decideCycle(parts, outlook, look);
  const proofs = new Map<string, readonly string[]>();
  for (const order of cycle.decision.ends) proofs.set(order.key, (await freshProof(parts, outlook, order)).missing);
  const unsafe = new Map<string, ReturnType<typeof unsafeToShrink>>();
  for (const { group } of cycle.looked.observation.pools) {
    unsafe.set(group.name, unsafeToShrink(group, await parts.shrink.facts(group.name)));
  }
  return { pause, ...cycle, proofs, unsafe, declared: await declaredSteps(parts, cycle.looked.observation) };
}

async function declaredSteps(
  { controlPlane, logger }: DryParts,
  { workerGroup, pools }: CycleReport["looked"]["observation"],
): Promise<DeclaredStep[]> {
  const steps: DeclaredStep[] = [];
  for (const { fleet, pool } of pools) {
    if (fleet.paused || pool.status !== "active") continue;
    const primary =
      fleet.primaryMinimum === undefined ? undefined : primarySelection(workerGroup, pool, fleet.primaryMinimum);
    let policy: PolicyReplacement | undefined;
    try {
      const read = fleet.policy === undefined ? undefined : await controlPlane.resourcePolicy(workerGroup.id, pool.id);
      policy = fleet.policy === undefined || read === undefined ? undefined : policyReplacement(fleet.policy, read);
    } catch (error) {
      logger.log("warn", "policy unread", { pool: pool.name, ...errorFields(error) });
    }
    steps.push({
      pool: pool.name,
      ...(policy === undefined ? {} : { policy }),
      ...(primary === undefined ? {} : { primary }),
    });
  }
  return steps;
}
