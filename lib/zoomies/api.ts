/**
 * What Drover uses of the Zoomies REST API, under the wire's own names (zoomies-notes 4 and 5). Times are RFC 3339 text.
 * The adapter is http-api.ts; the local world's stand-in controller answers the same calls over HTTP.
 */

/** One agent's row. `name` is unique in Zoomies; on our hosts it is the EC2 instance id. */
export interface Host {
  readonly id: string;
  readonly name: string;
  /** Whether it runs inside the controller itself. */
  readonly embedded: boolean;
  /** Configured runner slots. */
  readonly capacity: number;
  /** Live runners of any state, idle ones among them. */
  readonly active_runners: number;
  readonly backends: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly os: string | undefined;
  readonly arch: string | undefined;
  readonly cordoned: boolean;
  /** Whether its last heartbeat is younger than 90 s. */
  readonly healthy: boolean;
  /** Whether its agent protocol keeps it from being used, as a cordon would. */
  readonly incompatible: boolean;
  readonly created_at: string;
}

export const runnerStates = ["provisioning", "registering", "idle", "busy", "draining", "removed", "failed"] as const;
export type RunnerState = (typeof runnerStates)[number];

export interface Runner {
  readonly id: string;
  readonly pool_id: string;
  readonly host_id: string;
  readonly state: RunnerState;
}

/** A pool with its live runners by state and its claimed jobs that wait for one. */
export interface Pool {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly backend: string;
  readonly host_selector: Readonly<Record<string, string>>;
  readonly min_runners: number;
  readonly max_runners: number;
  readonly counts: {
    readonly provisioning: number;
    readonly registering: number;
    readonly idle: number;
    readonly busy: number;
    readonly draining: number;
  };
  readonly queued_jobs: number;
}

export interface JoinToken {
  readonly id: string;
  readonly expires_at: string;
  /** When it was redeemed; null while it was not. */
  readonly used_at: string | null;
  /** The host it became. */
  readonly used_by_id: string | undefined;
  readonly usable: boolean;
}

/** What a new token is asked to be. `ttl` is a Go duration such as `5m`; labels and capacity override the agent's own. */
export interface JoinTokenRequest {
  readonly ttl: string;
  readonly capacity: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Hosts, runners and pools: the credential `hosts`. Lists are whole or an error, never a part (cases.md 67). */
export interface HostsApi {
  /** `GET /hosts` */
  hosts(): Promise<Host[]>;
  /** `GET /hosts/{id}`; undefined when there is no such row. */
  host(id: string): Promise<Host | undefined>;
  /** `GET /runners`, every page, or with `host_id` one host's: the runners that are not removed or failed. */
  runners(hostId?: string): Promise<Runner[]>;
  /** `GET /pools` */
  pools(): Promise<Pool[]>;
  /** `POST /hosts/{id}/cordon`, idempotent, ends no job; undefined when there is no such row. */
  cordon(id: string, cordoned: boolean): Promise<Host | undefined>;
  /** `POST /runners/{id}/drain`, never confirmed: a busy runner is refused with 409 and goes on. */
  drain(id: string): Promise<"accepted" | "refused" | "absent">;
  /** `DELETE /hosts/{id}`, never forced: refused with 409 while live runners are recorded on it. */
  deleteHost(id: string): Promise<"deleted" | "refused" | "absent">;
}

/** Join tokens: the credential `joins`. */
export interface JoinsApi {
  /** `POST /join-tokens`. `token` is in this answer only and must never be stored. */
  mint(request: JoinTokenRequest): Promise<JoinToken & { readonly token: string }>;
  /** `GET /join-tokens/{id}`; undefined when it was revoked. */
  joinToken(id: string): Promise<JoinToken | undefined>;
  /** `DELETE /join-tokens/{id}`: the token, used or not, is no more. */
  revoke(id: string): Promise<"revoked" | "absent">;
}

/** Zoomies answered something that these types do not describe. Nothing is proven by it. */
export class OddAnswer extends Error {
  override readonly name = "OddAnswer";
}

/** Zoomies could not be reached, did not answer in time, or answered with an error: a mutation may have happened. */
export class ZoomiesUnavailable extends Error {
  override readonly name = "ZoomiesUnavailable";
  readonly status: number | undefined;

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The credential or its scopes do not allow the call: a person must act. */
export class ZoomiesDenied extends Error {
  override readonly name = "ZoomiesDenied";
}
