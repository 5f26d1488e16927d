import type { ControlPlane } from "./control-plane.ts";
import { type DeclaredPolicies, declaredPolicies } from "./declared-policy.ts";
import type { GroupHold } from "./group-hold.ts";
import { type MemoryKeeper, readMemory } from "./group-memory.ts";
import { type OpenOperations, openOperations } from "./open-operations.ts";
import type { HelmrParts } from "./parts.ts";
import { CapacityPaused, unlessPaused } from "./pause.ts";

/** The reads of the Control Plane, and the plan, which publishes evidence and changes nothing else. */
export type ControlPlaneReads = Pick<
  ControlPlane,
  | "resolveGroup"
  | "resolvePool"
  | "plan"
  | "resourcePolicy"
  | "pendingScaleIn"
  | "scaleInReceipt"
  | "deployment"
  | "hosts"
  | "host"
>;

/** What it takes to look at one Worker group and to decide, kept from cycle to cycle. No right to change it comes with it. */
export interface Outlook {
  readonly name: string;
  readonly controlPlane: ControlPlaneReads;
  readonly memory: MemoryKeeper;
  readonly open: OpenOperations;
  /** Why the Control Plane is not to be trusted with a new drain, and when that was read. */
  deployment: { readonly reasons: readonly string[]; readonly at: number } | undefined;
}

/** One Worker group while an invocation holds it. */
export interface Session extends Outlook {
  readonly hold: GroupHold;
  /** Asks the pause flag before each request. */
  readonly controlPlane: ControlPlane;
  readonly policies: DeclaredPolicies;
}

/** Reads what an earlier holder left; the caller holds the group's lease. */
export async function openSession(parts: HelmrParts, name: string, hold: GroupHold): Promise<Session> {
  const controlPlane = unlessPaused(parts.controlPlane, () => parts.pauses.isPaused(name));
  const memory = await readMemory(parts.records, name);
  const open = await openOperations(parts.operations, memory, name, hold.owner);
  return { name, hold, controlPlane, memory, open, policies: declaredPolicies(controlPlane), deployment: undefined };
}

/**
 * Asked before every mutation at the provider: the group is not paused, and ours for long enough (design: rule 3). What is
 * looked at between this and the mutation must fit into the rest of the lease, which {@link GroupHold.lasts} checks last.
 */
export async function mayMutate(parts: HelmrParts, { name, hold }: Session): Promise<void> {
  if (await parts.pauses.isPaused(name)) throw new CapacityPaused("The Worker group is paused by an operator.");
  await hold.assert(parts.settings.mutationTimeoutMs * 2);
}
