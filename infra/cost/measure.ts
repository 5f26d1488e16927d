import { ManualClock } from "../local/aws/sim-clock.ts";
import { sealPool } from "../local/helmr/model/seal.ts";
import { startHelmr } from "../local/helmr/peer.ts";
import type { Invocation } from "../local/lambda/invocation.ts";
import { simulateDate } from "../local/simulated-date.ts";
import { type LocalWorld, startLocalWorld } from "../local/world.ts";
import { apiFaults } from "../local/zoomies/api/faults.ts";
import { startApiServer } from "../local/zoomies/api/server.ts";
import { type Controller, zoomiesController } from "../local/zoomies/controller.ts";
import { post } from "../local/zoomies/post.ts";
import type { Run } from "./usage.ts";

/** What was measured: a quiet run of each schedule, one of Helmr's cycles, and one event with the look that follows it. */
export interface Measured {
  readonly zoomiesRun: Run;
  readonly kiciRun: Run;
  readonly helmrCycle: Run;
  readonly event: Run;
}

const minuteMs = 60_000;
const token = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const template = {
  cpu_millis: 8_000,
  memory_bytes: 32_000_000_000,
  disk_bytes: 400_000_000_000,
  vm_slots: 4,
  platform: "firecracker/x86_64",
};
const all = {
  role: "admin",
  scopes: ["hosts:read", "hosts:cordon", "hosts:delete", "runners:read", "runners:drain", "pools:read", "joins:write"],
} as const;

/** Runs everything once warm, on a world with one Zoomies group of two hosts and one Helmr pool of one host. */
export async function measure(): Promise<Measured> {
  const clock = new ManualClock(Date.now());
  const restoreDate = simulateDate(clock);
  let controller: Controller | undefined;
  const answers = () => {
    if (controller === undefined) throw new Error("The controller is not there yet.");
    return controller.api;
  };
  let peerCalls = 0;
  const api = await startApiServer(
    {
      route: (request) => answers().route(request),
      answer(request) {
        peerCalls += 1;
        return answers().answer(request);
      },
    },
    apiFaults(),
  );
  let last: Invocation | undefined;
  const world = await startLocalWorld({
    clock,
    fleets: [
      { name: "linux", pools: ["pool_cost"], slotsPerHost: 4, minSize: 2, tags: { "drover:scale-in": "verified" } },
    ],
    scalers: [{ name: "aws-linux" }],
    zoomiesApi: { url: api.url, hostsToken: "h", joinsToken: "j" },
    parameters: { HelmrCadence: "ticks" },
    onInvocation(invocation) {
      last = invocation;
    },
    async helmr(cloud, stack) {
      const fleets = [{ group: "default", pool: "general", autoScalingGroup: "helmr", template }];
      const peer = await startHelmr({
        cloud,
        random: Math.random,
        token,
        regionId: "cost",
        fleets,
        workerTimings: { bootMs: [1_000, 1_000] },
      });
      for (const pool of peer.groups.get("default")?.group.pools.values() ?? [])
        sealPool(peer.model.region, pool, template);
      const tags = { "drover:stack": stack, "drover:helmr-group": "default", "drover:helmr-pool": "general" };
      cloud.createGroup("helmr", {
        minSize: 1,
        maxSize: 4,
        newInstancesProtected: true,
        suspended: ["AZRebalance"],
        tags,
      });
      return { url: peer.server.url, regionId: "cost", token, close: () => peer.close() };
    },
  });
  try {
    controller = zoomiesController(
      {
        destinationUrl: `${world.api}/zoomies/capacity`,
        signingSecret: world.secrets.zoomies.value,
        apiTokens: { h: all, j: all },
      },
      { clock, random: Math.random, post, wait: async () => {} },
    );
    controller.addPool({ id: "pool_cost" });
    const pass = (ms: number) => {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.advance(1_000);
        world.cloud.settle();
      }
    };
    pass(2 * minuteMs);
    for (const { InstanceId: name = "" } of world.cloud.group("linux")?.Instances ?? []) {
      controller.joinHost({ name, capacity: 4 });
    }
    const step = async (run: () => Promise<unknown>): Promise<Run> => {
      world.faults.reset();
      peerCalls = 0;
      const before = performance.now();
      await run();
      return runOf(world, last, performance.now() - before, peerCalls);
    };
    /** The first two make an environment warm and the memory whole; the third is what a day is made of. */
    const third = async (run: () => Promise<unknown>, everyMs: number): Promise<Run> => {
      for (let time = 0; time < 2; time += 1) {
        await run();
        pass(everyMs);
        for (const { name } of [...(controller?.fleet.hosts.values() ?? [])]) controller?.speak(name);
      }
      return step(run);
    };
    const zoomiesRun = await third(() => world.schedules.fire("ZoomiesReconciler"), minuteMs);
    const kiciRun = await third(() => world.schedules.fire("KiciReaper"), 5 * minuteMs);
    const helmrCycle = await third(async () => {
      world.queues.send("HelmrTicks", "tick");
      await world.queues.deliver();
    }, 15_000);
    const event = await third(async () => {
      controller?.queueJobs("pool_cost", 20, minuteMs);
      controller?.pass();
      await controller?.delivered();
    }, 11 * minuteMs);
    return { zoomiesRun, kiciRun, helmrCycle, event };
  } finally {
    await world.close();
    await api.close();
    restoreDate();
  }
}

function runOf(world: LocalWorld, invocation: Invocation | undefined, ms: number, peerCalls: number): Run {
  if (invocation?.outcome.kind !== "answered") throw new Error(`A measured run was ${invocation?.outcome.kind}.`);
  const count = (operations: readonly string[]) =>
    operations.reduce((sum, operation) => sum + world.faults.count(operation), 0);
  const { functionId } = invocation;
  const memory = world.functions.definitions.find(({ id }) => id === functionId)?.memoryMegabytes ?? 0;
  return {
    ms,
    memoryMegabytes: memory,
    // Consistent reads of items below 4 KB, and writes below 1 KB; a batch is counted as two items.
    reads: count(["dynamodb:GetItem"]) + 2 * count(["dynamodb:BatchGetItem"]),
    writes: count(["dynamodb:PutItem", "dynamodb:UpdateItem"]),
    secretReads: count(["secretsmanager:GetSecretValue"]),
    calls: world.faults.count(() => true) + peerCalls,
    logBytes: invocation.output.reduce((sum, line) => sum + Buffer.byteLength(line), 0),
  };
}
