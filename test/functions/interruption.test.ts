import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { sealPool } from "../../infra/local/helmr/model/seal.ts";
import { type HelmrPeer, startHelmr } from "../../infra/local/helmr/peer.ts";
import { apiFaults } from "../../infra/local/zoomies/api/faults.ts";
import { startApiServer } from "../../infra/local/zoomies/api/server.ts";
import { type Controller, zoomiesController } from "../../infra/local/zoomies/controller.ts";
import { post } from "../../infra/local/zoomies/post.ts";
import { start as helmrStart, template, token } from "../contract/helmr/setting.ts";
import { agent, type KiciWorld, launchByHand, scaler, startKici } from "../kici/kici-world.ts";
import { startWorld, type TestWorld } from "../world.ts";

const on = { HandleInterruptions: "on" };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Everything that a run printed as metrics, as name and outcome. */
const counted = ({ lines }: TestWorld) =>
  lines.flatMap((line) => {
    if (!line.includes('"_aws"')) return [];
    const { _aws, Outcome, Code } = JSON.parse(line);
    return [[_aws.CloudWatchMetrics[0].Metrics[0].Name, Outcome ?? Code].filter(Boolean).join(" ")];
  });

const idle = async (world: TestWorld) => {
  const runs = await world.queues.deliver();
  for (const { outcome } of runs) expect(outcome).toMatchObject({ kind: "answered", value: { batchItemFailures: [] } });
  return runs;
};

// ---- Zoomies ----

let controller: Controller;

/** A group of `hosts` hosts that all have joined, and Zoomies with its API beside it. */
async function zoomiesWorld(
  hosts: number,
  more: Record<string, string> = {},
): Promise<{ world: TestWorld; members: () => string[] }> {
  const faults = apiFaults();
  const api = await startApiServer(
    { route: (request) => controller.api.route(request), answer: (request) => controller.api.answer(request) },
    faults,
  );
  closing.push(api.close);
  const zoomiesApi = { url: api.url, hostsToken: "hosts-token", joinsToken: "joins-token" };
  const fleet = {
    name: "linux",
    pools: ["pool_123"],
    slotsPerHost: 4,
    minSize: hosts,
    tags: { "drover:scale-in": "verified", "drover:idle-minutes": "120" },
  };
  const world = await startWorld({ fleets: [fleet], zoomiesApi, parameters: { ...on, ...more } });
  closing.push(world.close);
  controller = zoomiesController(
    {
      destinationUrl: `${world.api}/zoomies/capacity`,
      signingSecret: world.secrets.zoomies.value,
      apiTokens: {
        "hosts-token": {
          role: "admin",
          scopes: ["hosts:read", "hosts:cordon", "hosts:delete", "runners:read", "runners:drain", "pools:read"],
        },
        "joins-token": { role: "admin", scopes: ["joins:read", "joins:write"] },
      },
    },
    { clock: world.clock, random: Math.random, post, wait: async () => undefined },
  );
  controller.addPool({ id: "pool_123" });
  world.advance(120_000);
  const members = () => (world.cloud.group("linux")?.Instances ?? []).map(({ InstanceId = "" }) => InstanceId);
  for (const name of members()) controller.joinHost({ name, capacity: 4 });
  expect(members()).toHaveLength(hosts);
  await world.reconcile();
  // Whatever came before is not what a test is about.
  await world.queues.deliver();
  return { world, members };
}

test("a spot interruption cordons the host at once, its slots count as gone, and the same warning again changes nothing", async () => {
  const { world, members } = await zoomiesWorld(2);
  const [first = "", second = ""] = members();
  world.cloud.interruptSpot(first);
  expect(await idle(world)).toHaveLength(1);
  expect(controller.hostNamed(first)?.cordoned).toBe(true);
  expect(controller.hostNamed(second)?.cordoned).toBe(false);

  const again = JSON.stringify({
    source: "aws.ec2",
    "detail-type": "EC2 Spot Instance Interruption Warning",
    time: new Date(world.clock.now()).toISOString(),
    detail: { "instance-id": first },
  });
  world.queues.send("Interruptions", again);
  await idle(world);
  expect(world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup")).toBe(0);

  // Two hosts' worth of jobs: the cordoned host is no supply any more, so that one is bought before EC2 takes it.
  await world.send({ pool: "pool_123", capacity: 4, slots: 4 });
  await world.reconcile();
  expect(world.group("linux").desired).toBe(3);
  world.advance(150_000);
  expect(world.cloud.instance(first)?.State?.Name).toMatch(/shutting-down|terminated/);
  await idle(world);
});

test("two interruptions in one batch are two cordons and two lines in the trail, each with its reason (cases.md 80)", async () => {
  const { world, members } = await zoomiesWorld(3);
  const [first = "", second = "", third = ""] = members();
  world.cloud.interruptSpot(first);
  world.cloud.recommendRebalance(second);
  expect(await idle(world)).toHaveLength(1);
  expect([first, second, third].map((name) => controller.hostNamed(name)?.cordoned)).toEqual([true, true, false]);
  const told = world.lines.filter((line) => line.includes('"notice"')).map((line) => JSON.parse(line));
  expect(told.map(({ instance, outcome }) => [instance, outcome])).toEqual([
    [first, "cordoned"],
    [second, "cordoned"],
  ]);
});

test("a host whose instance was not taken is given back after a quarter of an hour; one that a person cordoned never is", async () => {
  const { world, members } = await zoomiesWorld(2);
  const [spared = "", theirs = ""] = members();
  const host = controller.hostNamed(theirs);
  if (host !== undefined) host.cordoned = true;
  world.cloud.recommendRebalance(spared);
  world.cloud.recommendRebalance(theirs);
  await idle(world);
  expect(controller.hostNamed(spared)?.cordoned).toBe(true);
  world.advance(10 * 60_000);
  for (const name of members()) controller.speak(name);
  await world.reconcile();
  expect(controller.hostNamed(spared)?.cordoned).toBe(true);
  world.advance(6 * 60_000);
  for (const name of members()) controller.speak(name);
  await world.reconcile();
  expect(controller.hostNamed(spared)?.cordoned).toBe(false);
  expect(controller.hostNamed(theirs)?.cordoned).toBe(true);
});

test("in observe mode the host is looked at and not cordoned, and the trail says what would be done", async () => {
  const { world, members } = await zoomiesWorld(1, { Mode: "observe" });
  const [first = ""] = members();
  world.cloud.interruptSpot(first);
  expect(await idle(world)).toHaveLength(1);
  expect(controller.hostNamed(first)?.cordoned).toBe(false);
  expect(world.lines.filter((line) => line.includes('"notice"'))).toHaveLength(1);
});

// ---- KiCI ----

const agentRecord = async (world: KiciWorld) => {
  const run = await world.reap();
  return { run, alive: world.alive(agent) };
};

test("an interrupted agent's record is closed and its place is free at once", async () => {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  await idle(world);
  const other = { ...world.scaleUp(), agentId: "scaler-event-99999999" };
  expect((await world.up(other)).answer.code).toBe("scaler_at_cap");
  world.cloud.interruptSpot(answer.instanceId ?? "");
  expect(await idle(world)).toHaveLength(1);
  expect((await world.up(other)).answer.status).toBe("launched");
  const { run, alive } = await agentRecord(world);
  expect(run.outcome.kind).toBe("answered");
  expect(alive.map(({ InstanceId }) => InstanceId)).toEqual([answer.instanceId]);
});

test("an agent that somebody ended is closed by EC2's word, and a recommendation alone closes nothing", async () => {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  const other = { ...world.scaleUp(), agentId: "scaler-event-99999999" };
  world.cloud.recommendRebalance(answer.instanceId ?? "");
  await idle(world);
  expect((await world.up(other)).answer.code).toBe("scaler_at_cap");
  world.cloud.terminateByHand(answer.instanceId ?? "");
  await idle(world);
  expect((await world.up(other)).answer.status).toBe("launched");
});

// ---- Messages and strangers ----

test("instances that are not ours cost one read a batch, no second one, and leave no trace (cases.md 78)", async () => {
  const world = await startKici({ name: scaler }, { parameters: on });
  closing.push(world.close);
  const strangers = [1, 2, 3].map(() => launchByHand(world, { Name: "somebody's" }));
  world.advance(30_000);
  await idle(world);
  world.faults.reset();
  for (const id of strangers) world.cloud.interruptSpot(id);
  expect(await idle(world)).toHaveLength(1);
  const calls = world.faults.calls.map(({ service, operation }) => `${service}:${operation}`);
  expect(calls).toEqual(["ec2:DescribeInstances"]);
});

test("a message that nobody can read is put aside once with a metric, and its neighbours are handled (cases.md 14)", async () => {
  const world = await startKici({ name: scaler, maxInstances: 1 }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  await idle(world);
  world.queues.send("Interruptions", "not json");
  world.cloud.interruptSpot(answer.instanceId ?? "");
  world.queues.send("Interruptions", "{}");
  expect(await idle(world)).toHaveLength(1);
  expect(counted(world).filter((each) => each === "ConfigError malformed_message")).toHaveLength(2);
  expect(world.queues.bodies("Interruptions")).toEqual([]);
  expect((await world.up({ ...world.scaleUp(), agentId: "scaler-event-99999999" })).answer.status).toBe("launched");
});

test("while EC2 throttles every message comes again and none is lost; after five tries they wait for a person (cases.md 13)", async () => {
  const world = await startKici({ name: scaler }, { parameters: on });
  closing.push(world.close);
  const { answer } = await world.up();
  world.advance(60_000);
  await idle(world);
  world.faults.add({ on: "ec2:DescribeInstances", kind: "throttle" });
  for (let tries = 0; tries < 3; tries += 1) world.cloud.interruptSpot(answer.instanceId ?? "", 3_600);
  const [run] = await world.queues.deliver();
  const { batchItemFailures } =
    run?.outcome.kind === "answered"
      ? (run.outcome.value as { batchItemFailures: unknown[] })
      : { batchItemFailures: [] };
  expect(batchItemFailures).toHaveLength(3);
  expect(counted(world)).toContain("CallFailed throttled");
  for (let tries = 0; tries < 5; tries += 1) {
    world.advance(31_000);
    await world.queues.deliver();
  }
  expect(world.queues.bodies("Interruptions")).toEqual([]);
  expect(world.queues.bodies("InterruptionsFailed")).toHaveLength(3);
});

test("an instance that EC2 does not show yet comes again; an old unknown one is let go with a metric (cases.md 78)", async () => {
  const world = await startKici({ name: scaler }, { parameters: on });
  closing.push(world.close);
  const unknown = (at: number) =>
    JSON.stringify({
      source: "aws.ec2",
      "detail-type": "EC2 Spot Instance Interruption Warning",
      time: new Date(at).toISOString(),
      detail: { "instance-id": "i-0fedcba9876543210" },
    });
  world.queues.send("Interruptions", unknown(world.clock.now()));
  await world.queues.deliver();
  expect(world.queues.bodies("Interruptions")).toHaveLength(1);
  world.advance(61_000);
  await world.queues.deliver();
  expect(world.queues.bodies("Interruptions")).toEqual([]);
  expect(counted(world)).toEqual(["CallFailed unseen"]);
});

// ---- Helmr ----

let peer: HelmrPeer;

test("an interrupted Helmr host is drained with capacity_reduction, ticks go on, and meeting ticks are one", async () => {
  const clock = new ManualClock(helmrStart);
  const fleets = [{ group: "default", pool: "general", autoScalingGroup: "helmr-general", template }];
  const world = await startWorld({
    clock,
    parameters: { ...on, HelmrCadence: "ticks" },
    async helmr(cloud, stack) {
      peer = await startHelmr({
        cloud,
        random: Math.random,
        token,
        regionId: "aws-eu-west-1",
        fleets,
        workerTimings: { bootMs: [1_000, 2_000] },
      });
      const pool = [...(peer.groups.get("default")?.group.pools.values() ?? [])][0];
      if (pool !== undefined) sealPool(peer.model.region, pool, template);
      cloud.createGroup("helmr-general", {
        minSize: 1,
        maxSize: 4,
        newInstancesProtected: true,
        suspended: ["AZRebalance"],
        tags: {
          "drover:stack": stack,
          "drover:helmr-group": "default",
          "drover:helmr-pool": "general",
          "drover:scale-in": "verified",
        },
      });
      return { url: peer.server.url, regionId: "aws-eu-west-1", token, close: () => peer.close() };
    },
  });
  closing.push(world.close);
  for (let second = 0; second < 120; second += 1) world.advance(1_000);
  await world.queues.deliver();
  world.queues.fireSchedules();
  world.queues.fireSchedules();
  const runs = await world.queues.deliver();
  // Two minutes' first ticks met: one invocation, one cycle.
  expect(runs.map(({ functionId, outcome }) => [functionId, outcome.kind])).toEqual([["HelmrReconciler", "answered"]]);
  expect(world.lines.filter((line) => line.includes('"message":"cycle"'))).toHaveLength(1);
  expect(world.lines.filter((line) => line.includes('"RunCompleted":1'))).toHaveLength(1);
  world.advance(15_000);
  expect(await world.queues.deliver()).toHaveLength(1);

  const [instance = ""] = (world.cloud.group("helmr-general")?.Instances ?? []).map(
    ({ InstanceId = "" }) => InstanceId,
  );
  const host = () => [...peer.model.region.hosts.values()].find(({ resourceId }) => resourceId === instance);
  expect(host()?.status).toBe("active");
  world.cloud.interruptSpot(instance);
  await world.queues.deliver();
  expect(host()).toMatchObject({ status: expect.stringMatching(/draining|termination_ready|drained/) });
  expect(world.lines.some((line) => line.includes('"notice"') && line.includes('"draining"'))).toBe(true);
});
