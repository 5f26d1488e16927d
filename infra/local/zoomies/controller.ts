import { type ApiAnswers, type ApiTokens, apiAnswers } from "./api/router.ts";
import { cooldown } from "./cooldown.ts";
import { type Delivered, type DeliveryParts, deliver } from "./delivery.ts";
import { base32Id, type CapacityEvent, goTimestamp, newEventId } from "./event.ts";
import { emptyFleet, type Fleet, freeSlots, type Host, type Pool } from "./fleet.ts";
import type { JobEnd } from "./job-end.ts";
import { type AgentReport, type Joined, redeem } from "./join-tokens.ts";
import { advance, endMachine, handOut } from "./life-cycle.ts";
import { type Placement, type PoolReading, planPass } from "./scheduler-pass.ts";
import { signedRequest } from "./signed-request.ts";

export type ControllerSettings = {
  destinationUrl: string;
  signingSecret: string;
  /** Defaults of the sender: 10 minutes, 10 seconds a try. */
  cooldownMs?: number;
  timeoutMs?: number;
  /** From a runner's creation to its registration, and from a drain to the runner's end, in milliseconds; 0 by default. */
  runnerStartMs?: () => number;
  runnerEndMs?: () => number;
  /** Who may call the API. Nobody by default. */
  apiTokens?: ApiTokens;
};

export type ControllerParts = DeliveryParts & {
  clock: { now(): number };
  /** 0 to below 1. */
  random(): number;
  onSent?(event: CapacityEvent): void;
  onDelivered?(event: CapacityEvent, result: Delivered): void;
  onJobEnded?(end: JobEnd): void;
};

/** A Zoomies controller: knows pools, hosts and jobs, posts what its passes find, and answers its API (contract; notes 1 to 5). */
export type Controller = {
  readonly fleet: Fleet;
  readonly api: ApiAnswers;
  addPool(pool: Partial<Pool> & { id: string }): void;
  /** A host that joined at another time, without a token of this controller. */
  joinHost(host: Partial<Host> & { name: string; capacity: number }): Host;
  /** An agent joins with a token. */
  redeem(token: string, agent: AgentReport): Joined;
  hostNamed(name: string): Host | undefined;
  /** The machine died or left: its heartbeats end and so does what runs on it; the controller notices in its own time. */
  endMachine(name: string, by?: string): void;
  /** The machine lives on and its heartbeats do not come through, until they do again. */
  silence(name: string): void;
  speak(name: string): void;
  queueJobs(pool: string, count: number, durationMs: number): void;
  /** GitHub hands queued jobs to idle runners. */
  handOut(pool?: string): void;
  /** One scheduler pass. Deliveries start and go on by themselves; the pass does not wait for them. */
  pass(): PoolReading[];
  /** A pass that takes its time: it looks now, and creates runners when `place` is called, on hosts as it saw them. */
  beginPass(): { readings: PoolReading[]; place(): void };
  /** Lets everything that is due by the clock happen. */
  settle(): void;
  /** Resolves once no delivery is under way. */
  delivered(): Promise<void>;
};

export function zoomiesController(settings: ControllerSettings, parts: ControllerParts): Controller {
  const { clock, random, onJobEnded = () => {} } = parts;
  const fleet = emptyFleet();
  const attempts = cooldown(settings.cooldownMs ?? 600_000);
  const excessSince = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  const newId = (prefix: string) => `${prefix}_${base32Id(13, random)}`;
  const settle = () => advance(fleet, clock.now(), onJobEnded);
  const hostNamed = (name: string) => [...fleet.hosts.values()].find((each) => each.name === name);
  const runnerEndMs = settings.runnerEndMs ?? (() => 0);

  function send(reading: PoolReading, type: CapacityEvent["type"]): void {
    const { pool } = reading;
    const event: CapacityEvent = {
      schema_version: 1,
      event_id: newEventId(random),
      type,
      timestamp: goTimestamp(clock.now(), Math.floor(random() * 1e6)),
      pool_id: pool.id,
      host_selector: pool.selector,
      backend: pool.backend,
      required_runner_slots: type === "capacity_demand" ? (reading.shortfall ?? 1) : -reading.excess,
      current_capacity: reading.currentCapacity,
      queued_job_count: reading.queuedJobs,
      oldest_queue_age_seconds: reading.oldestAgeSeconds,
    };
    parts.onSent?.(event);
    const request = signedRequest(event, settings.signingSecret);
    const delivery = deliver(settings.destinationUrl, request, settings.timeoutMs ?? 10_000, parts).then((result) => {
      underWay.delete(delivery);
      parts.onDelivered?.(event, result);
    });
    underWay.add(delivery);
  }

  function announce(reading: PoolReading, now: number): void {
    const { id } = reading.pool;
    if (reading.excess === 0) excessSince.delete(id);
    else if (!excessSince.has(id)) excessSince.set(id, now);
    if (reading.shortfall !== undefined && attempts.attempt(id, "capacity_demand", now)) {
      send(reading, "capacity_demand");
    }
    const since = excessSince.get(id);
    if (since !== undefined && attempts.attempt(id, "scale_down_opportunity", now, since)) {
      send(reading, "scale_down_opportunity");
    }
  }

  /** The pass does not look at the host again, but for a slot: a cordon that came meanwhile is not seen (notes 4, step 4). */
  function create({ pool, host: hostId }: Placement): void {
    const host = fleet.hosts.get(hostId);
    if (host === undefined || freeSlots(fleet, host) === 0) return;
    const id = newId("runner");
    const now = clock.now();
    const readyAt = now + (settings.runnerStartMs?.() ?? 0);
    const state = readyAt === now ? "idle" : "provisioning";
    fleet.runners.set(id, {
      id,
      pool,
      host: hostId,
      state,
      job: undefined,
      createdAt: now,
      readyAt,
      goesAt: undefined,
    });
  }

  function beginPass() {
    settle();
    handOut(fleet, clock.now());
    const { readings, placements } = planPass(fleet, clock.now());
    for (const reading of readings) announce(reading, clock.now());
    return {
      readings,
      place() {
        settle();
        for (const placement of placements) create(placement);
        handOut(fleet, clock.now());
      },
    };
  }

  return {
    fleet,
    api: apiAnswers({ fleet, clock, random, settle, runnerEndMs, tokens: settings.apiTokens ?? {} }),
    settle,
    hostNamed,
    beginPass,
    addPool(pool) {
      const whole = { name: pool.id, selector: {}, backend: "docker", minRunners: 0, maxRunners: 100, enabled: true };
      fleet.pools.set(pool.id, { ...whole, ...pool });
    },
    joinHost(host) {
      const whole: Host = {
        id: newId("host"),
        labels: {},
        backend: "docker",
        os: "linux",
        arch: "amd64",
        embedded: false,
        incompatible: false,
        cordoned: false,
        createdAt: clock.now(),
        silentSince: undefined,
        ...host,
      };
      fleet.hosts.set(whole.id, whole);
      return whole;
    },
    redeem: (token, agent) => redeem(fleet, token, agent, clock.now(), newId("host")),
    endMachine(name, by = "somebody") {
      settle();
      const host = hostNamed(name);
      if (host !== undefined) endMachine(fleet, host, clock.now(), by, onJobEnded);
    },
    silence(name) {
      settle();
      const host = hostNamed(name);
      if (host !== undefined) host.silentSince ??= clock.now();
    },
    speak(name) {
      settle();
      const host = hostNamed(name);
      if (host !== undefined) host.silentSince = undefined;
    },
    queueJobs(pool, count, durationMs) {
      for (let index = 0; index < count; index += 1) {
        const id = newId("job");
        fleet.jobs.set(id, { id, pool, queuedAt: clock.now(), durationMs, startedAt: undefined });
      }
    },
    handOut(pool) {
      settle();
      handOut(fleet, clock.now(), pool);
    },
    pass() {
      const { readings, place } = beginPass();
      place();
      return readings;
    },
    async delivered() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
