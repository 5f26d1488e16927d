import { seededRandom } from "../../../infra/local/aws/random.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { inProcessControlPlane } from "../../../infra/local/helmr/in-process.ts";
import { ControlPlaneModel } from "../../../infra/local/helmr/model/control-plane-model.ts";
import type { ModelOptions } from "../../../infra/local/helmr/model/options.ts";
import type { Template } from "../../../infra/local/helmr/model/shape.ts";
import type { Group, Host, Pool, QueuedItem } from "../../../infra/local/helmr/model/state.ts";
import { startControlPlane } from "../../../infra/local/helmr/server.ts";
import type { ControlPlane } from "../../../lib/helmr/control-plane.ts";
import { httpControlPlane } from "../../../lib/helmr/http-control-plane.ts";
import type { PlanRequest } from "../../../lib/helmr/protocol.ts";

export const token = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
export const start = Date.parse("2026-10-22T00:00:00Z");
export const template: Template = {
  cpu_millis: 8_000,
  memory_bytes: 32_000_000_000,
  disk_bytes: 400_000_000_000,
  vm_slots: 4,
  platform: "firecracker/x86_64",
};

/** A Control Plane with one group and one pending pool, on a clock that only the test moves. */
export interface Setting {
  readonly clock: ManualClock;
  readonly model: ControlPlaneModel;
  readonly group: Group;
  readonly pool: Pool;
}

export function setting(options: Partial<ModelOptions> = {}): Setting {
  const clock = new ManualClock(start);
  const model = new ControlPlaneModel({ clock, random: seededRandom(4), token, ...options });
  const group = model.addGroup("default", "aws-us-east-1");
  return { clock, model, group, pool: model.addPool(group.id, "general") };
}

/** The ways to speak to it: each rule holds in all of them. */
export const transports: readonly (readonly [string, (model: ControlPlaneModel) => Promise<Connected>])[] = [
  ["in process", inProcess],
  ["over HTTP", overHttp],
];

export interface Connected {
  readonly port: ControlPlane;
  close(): Promise<void>;
}

async function inProcess(model: ControlPlaneModel): Promise<Connected> {
  return { port: inProcessControlPlane(model, { token: () => token }), close: async () => {} };
}

export async function overHttp(model: ControlPlaneModel): Promise<Connected> {
  const server = await startControlPlane({ model });
  const port = httpControlPlane({ baseUrl: server.url, token: async () => token, wait: async () => {} });
  return {
    port,
    async close() {
      port.close();
      await server.close();
    },
  };
}

export function registeringHost({ model, group, pool }: Setting, resourceId: string, of: Pool = pool): Host {
  const host = model.workers.enrol(group.id, of.name, resourceId);
  model.workers.authenticate(host.id);
  return host;
}

export function activeHost(world: Setting, resourceId: string, of: Pool = world.pool, shape = template): Host {
  const host = registeringHost(world, resourceId, of);
  world.model.workers.activate(host.id, host.epoch ?? 0, shape);
  return host;
}

/** The worker found itself empty. */
export function acknowledge({ model }: Setting, host: Host): void {
  model.workers.completeDrain(host.id, host.epoch ?? 0, host.claimVersion);
}

let items = 0;
export function item(more: Partial<QueuedItem> = {}): QueuedItem {
  items += 1;
  return {
    id: `item-${String(items).padStart(5, "0")}`,
    kind: "fresh",
    queuedAt: start,
    cpu_millis: 2_000,
    memory_bytes: 4_000_000_000,
    disk_bytes: 20_000_000_000,
    ...more,
  };
}

/** Puts a VM on a host; the answer is its lease. */
export function occupy({ model }: Setting, host: Host, kind: "work" | "optional" = "work"): string {
  const vm = { cpu_millis: 2_000, memory_bytes: 4_000_000_000, disk_bytes: 20_000_000_000 };
  return model.demand.lease(host.id, { kind, ...vm });
}

export const operationKey = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, "0")}`;

/** A whole and matching observation of the group as it is now, with this headroom in each pool. */
export async function observation(
  { clock, group }: Setting,
  port: ControlPlane,
  headroom: number | ((pool: Pool) => number) = 10,
): Promise<PlanRequest> {
  const observed_at = new Date(clock.now()).toISOString();
  const { supply_fingerprint } = await port.resolveGroup(group.regionId, group.name);
  const pools = [...group.pools.values()].filter((pool) => pool.status === "active");
  return {
    expected_supply_fingerprint: supply_fingerprint,
    observed_at,
    pools: pools.map((pool) => ({
      pool_id: pool.id,
      max_additional_workers: typeof headroom === "number" ? headroom : headroom(pool),
      active_workers: [...pool.hosts].filter((host) => host.status === "active").length,
      registering_workers: [...pool.hosts].filter((host) => host.status === "registering").length,
    })),
  };
}

/** Runs a test over one transport and closes it, whatever happens. */
export async function connected(
  connect: (model: ControlPlaneModel) => Promise<Connected>,
  world: Setting,
  run: (port: ControlPlane) => Promise<void>,
): Promise<void> {
  const connection = await connect(world.model);
  try {
    await run(connection.port);
  } finally {
    await connection.close();
  }
}
