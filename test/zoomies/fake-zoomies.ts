import type { Clock } from "../../lib/edge/clock.ts";
import {
  type Host,
  type HostsApi,
  type JoinsApi,
  type JoinToken,
  type JoinTokenRequest,
  type Pool,
  type Runner,
  type RunnerState,
  ZoomiesUnavailable,
} from "../../lib/zoomies/api.ts";

type Changing<T> = { -readonly [K in keyof T]: T[K] };
type Token = Changing<JoinToken> & { token: string; request: JoinTokenRequest };
/** A method's name with what it was about, such as `cordon host-1 true`. */
type Call = string;

/** A Zoomies controller behind its port, with hosts, runners, pools and join tokens; it fails when told to. */
export class FakeZoomies implements HostsApi, JoinsApi {
  readonly #clock: Clock;
  readonly rows = new Map<string, Changing<Host>>();
  readonly live = new Map<string, Changing<Runner>>();
  readonly queues = new Map<string, Changing<Pool>>();
  readonly tokens = new Map<string, Token>();
  /** Every call in order, mutations and reads. */
  readonly calls: Call[] = [];
  /** Whether the next call fails: before its effect, after it, or not at all. */
  fault: (call: Call) => "before" | "after" | undefined = () => undefined;
  /** How calls travel: a test can lose them on the way. */
  travel: <T>(call: Call, effect: () => Promise<T>) => Promise<T> = (_, effect) => effect();
  /** What happens just before a call is answered. */
  meanwhile: (call: Call) => unknown = () => undefined;
  #ids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  addPool(id: string, more: Partial<Pool> = {}): void {
    const counts = { provisioning: 0, registering: 0, idle: 0, busy: 0, draining: 0 };
    const pool = { name: id, enabled: true, backend: "docker", host_selector: {}, min_runners: 0, max_runners: 100 };
    this.queues.set(id, { id, ...pool, counts, queued_jobs: 0, ...more });
  }

  addHost(name: string, more: Partial<Host> = {}): string {
    const id = more.id ?? this.#newId("host");
    this.rows.set(id, {
      id,
      name,
      embedded: false,
      capacity: 4,
      active_runners: 0,
      backends: ["docker"],
      labels: {},
      os: "linux",
      arch: "amd64",
      cordoned: false,
      healthy: true,
      incompatible: false,
      created_at: new Date(this.#clock.now()).toISOString(),
      ...more,
    });
    return id;
  }

  addRunner(hostId: string, pool: string, state: RunnerState): string {
    const id = this.#newId("runner");
    this.live.set(id, { id, pool_id: pool, host_id: hostId, state });
    return id;
  }

  /** A job done: its ephemeral runner goes with it. */
  endRunner(id: string): void {
    this.live.delete(id);
  }

  hostNamed(name: string): Changing<Host> | undefined {
    return [...this.rows.values()].find((host) => host.name === name);
  }

  runnersOn(hostId: string): Changing<Runner>[] {
    return [...this.live.values()].filter((runner) => runner.host_id === hostId);
  }

  /** One pass of the scheduler: queued jobs go to free slots of hosts that are healthy and not cordoned. */
  pass(): void {
    for (const pool of this.queues.values()) {
      for (const host of this.rows.values()) {
        if (host.cordoned || !host.healthy || host.incompatible) continue;
        while (pool.queued_jobs > 0 && this.runnersOn(host.id).length < host.capacity) {
          pool.queued_jobs -= 1;
          this.addRunner(host.id, pool.id, "busy");
        }
      }
    }
  }

  /** An agent joins with its token under a name. */
  join(token: string, name: string): string | undefined {
    const found = [...this.tokens.values()].find((each) => each.token === token);
    if (found === undefined || !this.#seen(found).usable || this.hostNamed(name) !== undefined) return undefined;
    const { capacity, labels } = found.request;
    const id = this.addHost(name, { capacity, labels });
    found.used_at = new Date(this.#clock.now()).toISOString();
    found.used_by_id = id;
    return id;
  }

  hosts = () => this.#answer("hosts", () => [...this.rows.values()].map((host) => this.#withCount(host)));
  pools = () => this.#answer("pools", () => [...this.queues.values()].map((pool) => this.#withCounts(pool)));
  runners = (hostId?: string) =>
    this.#answer(`runners ${hostId ?? ""}`, () =>
      [...this.live.values()]
        .filter((each) => hostId === undefined || each.host_id === hostId)
        .map((each) => ({ ...each })),
    );

  host = (id: string) =>
    this.#answer(`host ${id}`, () => {
      const host = this.rows.get(id);
      return host === undefined ? undefined : this.#withCount(host);
    });

  cordon = (id: string, cordoned: boolean) =>
    this.#answer(`cordon ${id} ${cordoned}`, () => {
      const host = this.rows.get(id);
      if (host === undefined) return undefined;
      host.cordoned = cordoned;
      return this.#withCount(host);
    });

  drain = (id: string) =>
    this.#answer(`drain ${id}`, () => {
      const runner = this.live.get(id);
      if (runner === undefined) return "absent" as const;
      if (runner.state === "busy") return "refused" as const;
      this.live.delete(id);
      return "accepted" as const;
    });

  deleteHost = (id: string) =>
    this.#answer(`deleteHost ${id}`, () => {
      if (!this.rows.has(id)) return "absent" as const;
      if (this.runnersOn(id).length > 0) return "refused" as const;
      this.rows.delete(id);
      return "deleted" as const;
    });

  mint = (request: JoinTokenRequest) =>
    this.#answer("mint", () => {
      const id = this.#newId("join");
      const expires_at = new Date(this.#clock.now() + 300_000).toISOString();
      const token = { id, token: `zoojoin_${id}`, expires_at, used_at: null, used_by_id: undefined, usable: true };
      this.tokens.set(id, { ...token, request });
      return token;
    });

  joinToken = (id: string) =>
    this.#answer(`joinToken ${id}`, () => {
      const token = this.tokens.get(id);
      return token === undefined ? undefined : this.#seen(token);
    });

  revoke = (id: string) =>
    this.#answer(`revoke ${id}`, () => (this.tokens.delete(id) ? ("revoked" as const) : ("absent" as const)));

  /** Tokens that would still let a host in. */
  alive(): Token[] {
    return [...this.tokens.values()].filter((token) => this.#seen(token).usable);
  }

  #seen({ id, expires_at, used_at, used_by_id }: Token): JoinToken {
    const usable = used_at === null && this.#clock.now() < Date.parse(expires_at);
    return { id, expires_at, used_at, used_by_id, usable };
  }

  #withCount(host: Host): Host {
    return { ...host, active_runners: this.runnersOn(host.id).length };
  }

  #withCounts(pool: Pool): Pool {
    const counts = { provisioning: 0, registering: 0, idle: 0, busy: 0, draining: 0 };
    for (const { pool_id, state } of this.live.values()) {
      if (pool_id === pool.id && state in counts) counts[state as keyof typeof counts] += 1;
    }
    return { ...pool, counts };
  }

  #answer<T>(call: Call, effect: () => T): Promise<T> {
    return this.travel(call, () => this.#arrived(call, effect));
  }

  async #arrived<T>(call: Call, effect: () => T): Promise<T> {
    this.calls.push(call);
    await this.meanwhile(call);
    const fault = this.fault(call);
    if (fault === "before") throw new ZoomiesUnavailable("Zoomies did not answer.");
    const answer = effect();
    if (fault === "after") throw new ZoomiesUnavailable("Zoomies did not answer.");
    return answer;
  }

  #newId(kind: string): string {
    this.#ids += 1;
    return `${kind}-${this.#ids}`;
  }
}
