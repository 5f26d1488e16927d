import type { HostState, Phase } from "./state.ts";

/** What was committed, in order: for the update stream, the workers, and a simulation's checks. */
export type ModelEvent = { readonly at: number } & (
  | { type: "host"; hostId: string; resourceId: string; from?: HostState; to: HostState; reason: string }
  | { type: "epoch"; hostId: string; resourceId: string; epoch: number }
  | { type: "receipt"; operationKey: string; groupId: string; poolId: string; resourceId: string; phase: Phase }
  | { type: "absence-confirmed"; hostId: string; resourceId: string }
  | { type: "group"; groupId: string; status: string }
  | { type: "pool"; groupId: string; poolId: string; status: string }
  | { type: "primary"; groupId: string; poolId: string }
  | { type: "policy"; poolId: string; revision: number }
  | { type: "queued"; groupId: string; itemId: string }
  | { type: "unqueued"; groupId: string; itemId: string }
  | { type: "placed"; groupId: string; itemId: string; hostId: string; resourceId: string; leaseId: string }
  | { type: "released"; hostId: string; leaseId: string }
  /** Running work that a host's end cut off; it is held, not queued again (helmr-notes 2.3). */
  | { type: "interrupted"; hostId: string; resourceId: string; leaseId: string; itemId?: string }
  | { type: "plan"; groupId: string; evidence: boolean }
);

type WithoutTime<E> = E extends unknown ? Omit<E, "at"> : never;
export type UntimedModelEvent = WithoutTime<ModelEvent>;
export type ModelListener = (event: ModelEvent) => void;

/** A plan is a read for others: it commits nothing that changes capacity. */
export function isCapacityChange(event: ModelEvent): boolean {
  return event.type !== "plan";
}
