import type {
  Deployment,
  DrainReason,
  HostStatus,
  Plan,
  PlanRequest,
  ResourcePolicy,
  ScaleInReceipt,
  WorkerGroup,
  WorkerHost,
  WorkerPool,
} from "./protocol.ts";

export interface HostFilter {
  readonly worker_group_id?: string;
  /** At most 200 a call, so that URLs stay short. */
  readonly resource_ids?: readonly string[];
  readonly statuses?: readonly Exclude<HostStatus, "unknown">[];
  readonly has_unreclaimed_instance?: true;
}

export interface HostList {
  readonly worker_hosts: readonly WorkerHost[];
  /** The list reached its limit: rows may be missing (invariant 16). */
  readonly truncated: boolean;
}

/** The group as it is after the selection; `applied` is false when the pool was primary already, which says nothing of its health. */
export interface PrimaryPoolAnswer {
  readonly worker_group: Omit<WorkerGroup, "supply_fingerprint">;
  readonly applied: boolean;
}

/**
 * Helmr's Control Plane as Drover uses it: every operation of the contract. Reads may be repeated by the client; a
 * mutation is sent once. Errors: {@link ControlPlaneError} by the envelope's code, {@link ControlPlaneUnreachable} when
 * there was no answer that tells (the mutation may have happened).
 */
export interface ControlPlane {
  resolveGroup(regionId: string, name: string): Promise<WorkerGroup>;
  resolvePool(groupId: string, name: string): Promise<WorkerPool>;
  plan(groupId: string, request: PlanRequest): Promise<Plan>;
  resourcePolicy(groupId: string, poolId: string): Promise<ResourcePolicy>;
  replaceResourcePolicy(
    groupId: string,
    poolId: string,
    policy: Omit<ResourcePolicy, "revision"> & { readonly expected_revision: number },
  ): Promise<ResourcePolicy>;
  scaleIn(groupId: string, poolId: string, operationKey: string): Promise<ScaleInReceipt>;
  pendingScaleIn(groupId: string): Promise<ScaleInReceipt | undefined>;
  scaleInReceipt(groupId: string, operationKey: string): Promise<ScaleInReceipt>;
  setPrimaryPool(
    groupId: string,
    request: {
      readonly expected_group_claim_version: number;
      readonly minimum_ready_hosts: number;
      readonly pool_id: string;
    },
  ): Promise<PrimaryPoolAnswer>;
  deployment(): Promise<Deployment>;
  hosts(filter: HostFilter): Promise<HostList>;
  host(id: string): Promise<WorkerHost>;
  drain(
    id: string,
    request: { readonly expected_epoch: number; readonly expected_claim_version: number; readonly reason: DrainReason },
  ): Promise<WorkerHost>;
  /** Confirms that the provider no longer has the host. No body. */
  lost(id: string): Promise<WorkerHost>;
  createPool(
    groupId: string,
    request: { readonly name: string; readonly expected_group_claim_version: number },
  ): Promise<WorkerPool>;
  disablePool(
    groupId: string,
    poolId: string,
    request: { readonly expected_pool_claim_version: number },
  ): Promise<WorkerPool>;
}

/** A non-2xx answer with its envelope. `code` decides, never the status alone (helmr-notes 1). */
export class ControlPlaneError extends Error {
  override readonly name: string = "ControlPlaneError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The token was refused. Nothing happened, and nothing else may be done either before another token is accepted (invariant 25). */
export class ControlPlaneUnauthorized extends ControlPlaneError {
  override readonly name = "ControlPlaneUnauthorized";
}

/** No answer, a cut one, or one that is not the contract's: nothing is known about what was asked. */
export class ControlPlaneUnreachable extends Error {
  override readonly name: string = "ControlPlaneUnreachable";
}

/** An answer that is not the contract's: a field is missing or of another type, or it is about something else than was asked. */
export class OddAnswer extends ControlPlaneUnreachable {
  override readonly name = "OddAnswer";
}

/**
 * Whether the Control Plane refused and so did nothing. False for anything else: lost, cut and odd answers, 408 and 5xx,
 * after which a mutation may have happened and the world is read again (design: rule 5).
 */
export function isRefusal(error: unknown): error is ControlPlaneError {
  if (!(error instanceof ControlPlaneError)) return false;
  return (error.status < 500 && error.status !== 408) || error.code === "execution_capacity_unavailable";
}
