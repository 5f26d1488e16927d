import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { apiFaults } from "../../infra/local/zoomies/api/faults.ts";
import { startApiServer } from "../../infra/local/zoomies/api/server.ts";
import { type Controller, zoomiesController } from "../../infra/local/zoomies/controller.ts";
import { startOfTime, startWorld, type TestWorld } from "../world.ts";

/** One minute run over the whole fleet: how long it took, and whom it called how often. */
export interface HostRun {
  readonly what: string;
  readonly ms: number;
  readonly zoomies: number;
  readonly aws: number;
  readonly ledger: number;
}

const groups = 20;
const hostsEach = 25;
const idleEach = 5;
const minuteMs = 60_000;

/** 500 hosts in 20 groups, 100 of them idle, over HTTP on loopback: runs that find nothing, cordon, and terminate. */
export async function hostRuns(): Promise<HostRun[]> {
  const clock = new ManualClock(startOfTime);
  let controller: Controller | undefined;
  let calls = 0;
  const answers = () => {
    if (controller === undefined) throw new Error("The controller is not there yet.");
    return controller.api;
  };
  const api = await startApiServer(
    {
      route: (request) => answers().route(request),
      answer(request) {
        calls += 1;
        return answers().answer(request);
      },
    },
    apiFaults(),
  );
  const fleets = Array.from({ length: groups }, (_, index) => ({
    name: `group-${index}`,
    pools: [`pool_${index}`],
    slotsPerHost: 4,
    maxSize: 50,
    desired: hostsEach,
    tags: { "drover:scale-in": "verified", "drover:max-drains": String(idleEach) },
  }));
  const world = await startWorld({ clock, fleets, zoomiesApi: { url: api.url, hostsToken: "h", joinsToken: "j" } });
  try {
    controller = zoomiesController(
      { destinationUrl: world.api, signingSecret: "s", apiTokens: { h: all, j: all } },
      { clock, random: Math.random, post: async () => Promise.reject(new Error("no posts")), wait: async () => {} },
    );
    world.advance(minuteMs);
    for (const { name, pools } of fleets) populate(world, controller, name, pools[0] ?? "");

    const measure = async (what: string): Promise<HostRun> => {
      world.faults.reset();
      calls = 0;
      const before = performance.now();
      const { outcome } = await world.reconcile();
      const ms = performance.now() - before;
      if (outcome.kind !== "answered") throw new Error(`The run ${what} ${outcome.kind}.`);
      const ledger = world.faults.count((call) => call.service === "dynamodb");
      return { what, ms, zoomies: calls, aws: world.faults.count(() => true) - ledger, ledger };
    };
    const first = await measure("that sees the fleet for the first time");
    for (const _ of [1, 2, 3]) {
      world.advance(3 * minuteMs);
      await world.reconcile();
    }
    const quiet = await measure("that finds nothing to do");
    world.advance(minuteMs);
    const cordons = await measure(`that cordons ${groups * idleEach} hosts`);
    world.advance(minuteMs);
    await world.reconcile();
    world.advance(minuteMs);
    const terminates = await measure(`that ends ${groups * idleEach} hosts`);
    const left = fleets.reduce((sum, { name }) => sum + world.group(name).desired, 0);
    if (left !== groups * (hostsEach - idleEach)) throw new Error(`${left} hosts are left.`);
    return [first, quiet, cordons, terminates];
  } finally {
    await world.close();
    await api.close();
  }
}

const all = {
  role: "admin",
  scopes: ["hosts:read", "hosts:cordon", "hosts:delete", "runners:read", "runners:drain", "pools:read", "joins:write"],
} as const;

/** Every instance is a host; all but a few run a job on each slot. */
function populate(world: TestWorld, controller: Controller, group: string, pool: string): void {
  controller.addPool({ id: pool });
  (world.cloud.group(group)?.Instances ?? []).forEach(({ InstanceId: name = "" }, index) => {
    const host = controller.joinHost({ name, capacity: 4, labels: { pool } });
    for (let slot = 0; index >= idleEach && slot < 4; slot += 1) {
      const id = `${host.id}-${slot}`;
      const [createdAt, readyAt] = [0, 0];
      const runner = { id, pool, host: host.id, state: "busy" as const, job: undefined, createdAt, readyAt };
      controller.fleet.runners.set(id, { ...runner, goesAt: undefined });
    }
  });
}

export const hostRunLine = ({ what, ms, zoomies, aws, ledger }: HostRun): string =>
  `a run ${what}: ${(ms / 1000).toFixed(1)} s, ${zoomies} Zoomies, ${aws} AWS, ${ledger} DynamoDB calls`;
