import { cooldown } from "./cooldown.ts";
import { type Delivered, type DeliveryParts, deliver } from "./delivery.ts";
import { base32Id, type CapacityEvent, goTimestamp, newEventId } from "./event.ts";
import type { Fleet, Host, Pool } from "./fleet.ts";
import { type PoolReading, schedulerPass } from "./scheduler-pass.ts";
import { signedRequest } from "./signed-request.ts";

export type ControllerSettings = {
  destinationUrl: string;
  signingSecret: string;
  /** Defaults of the sender: 10 minutes, 10 seconds a try. */
  cooldownMs?: number;
  timeoutMs?: number;
};

export type ControllerParts = DeliveryParts & {
  clock: { now(): number };
  /** 0 to below 1. */
  random(): number;
  onSent?(event: CapacityEvent): void;
  onDelivered?(event: CapacityEvent, result: Delivered): void;
};

/** A Zoomies controller: knows pools, hosts and jobs, and posts what its passes find (contract; notes 1 to 3). */
export type Controller = {
  readonly fleet: Fleet;
  addPool(pool: Partial<Pool> & { id: string }): void;
  joinHost(host: Partial<Host> & { name: string; capacity: number }): void;
  /** The machine died or left: its heartbeats end, its runners and their jobs are gone. */
  silenceHost(name: string): void;
  queueJobs(pool: string, count: number, durationMs: number): void;
  /** One scheduler pass. Deliveries start and go on by themselves; the pass does not wait for them. */
  pass(): PoolReading[];
  /** Resolves once no delivery is under way. */
  delivered(): Promise<void>;
};

export function zoomiesController(settings: ControllerSettings, parts: ControllerParts): Controller {
  const { clock, random } = parts;
  const fleet: Fleet = { pools: new Map(), hosts: new Map(), runners: new Map(), jobs: new Map() };
  const attempts = cooldown(settings.cooldownMs ?? 600_000);
  const excessSince = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  const newId = (prefix: string) => `${prefix}_${base32Id(13, random)}`;

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

  return {
    fleet,
    addPool(pool) {
      const whole = { name: pool.id, selector: {}, backend: "docker", minRunners: 0, maxRunners: 100, ...pool };
      fleet.pools.set(pool.id, whole);
    },
    joinHost(host) {
      const id = host.id ?? newId("host");
      fleet.hosts.set(id, { labels: {}, backend: "docker", cordoned: false, silentSince: undefined, ...host, id });
    },
    silenceHost(name) {
      const host = [...fleet.hosts.values()].find((each) => each.name === name);
      if (host === undefined) return;
      host.silentSince ??= clock.now();
      for (const runner of fleet.runners.values()) {
        if (runner.host !== host.id) continue;
        fleet.runners.delete(runner.id);
        if (runner.job !== undefined) fleet.jobs.delete(runner.job);
      }
    },
    queueJobs(pool, count, durationMs) {
      for (let index = 0; index < count; index += 1) {
        const id = newId("job");
        fleet.jobs.set(id, { id, pool, queuedAt: clock.now(), durationMs, startedAt: undefined });
      }
    },
    pass() {
      const now = clock.now();
      const readings = schedulerPass(fleet, now, () => newId("runner"));
      for (const reading of readings) {
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
      return readings;
    },
    async delivered() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
