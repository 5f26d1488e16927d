import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { apiFaults } from "../../infra/local/zoomies/api/faults.ts";
import { startApiServer } from "../../infra/local/zoomies/api/server.ts";
import { type Controller, zoomiesController } from "../../infra/local/zoomies/controller.ts";
import { post } from "../../infra/local/zoomies/post.ts";
import type { TrailEntry } from "../../lib/ledger/trail.ts";
import { ledgerItems } from "../functions/ledger-items.ts";
import { agent, type KiciReply, launchByHand, scaler, startKici } from "../kici/kici-world.ts";
import { startOfTime } from "../world.ts";
import { comparable, firstDecisions, trailOf } from "./first-decisions.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const hook = {
  name: "drover-join",
  transition: "launching",
  heartbeatTimeout: 1_200,
  defaultResult: "CONTINUE",
} as const;
const looked = { "drover:scale-in": "verified", "drover:idle-minutes": "2" };
const fleets = [
  { name: "burst", pools: ["pool_burst"], slotsPerHost: 4 },
  { name: "idle", pools: ["pool_idle"], slotsPerHost: 4, tags: looked, desired: 2 },
  { name: "hooked", pools: ["pool_hooked"], slotsPerHost: 4, tags: looked, group: { hooks: [hook] } },
];
const names = [...fleets.map(({ name }) => name), `kici#${scaler}`];

interface Story {
  readonly trails: ReadonlyMap<string, TrailEntry[]>;
  /** Calls that would change something in AWS, and routes of Zoomies that would. */
  readonly mutations: readonly string[];
  readonly replies: readonly KiciReply[];
  readonly ledger: string;
  readonly lines: readonly string[];
}

/** A burst at one group, idle hosts in another, an instance in its launch hook, and KiCI's agents up, down and expired. */
async function story(mode: "act" | "observe"): Promise<Story> {
  const clock = new ManualClock(startOfTime);
  const mutations: string[] = [];
  const faults = apiFaults();
  const api = await startApiServer(
    {
      route(request) {
        const route = controller.api.route(request);
        if (!route.startsWith("GET ")) mutations.push(`zoomies ${route}`);
        return route;
      },
      answer: (request) => controller.api.answer(request),
    },
    faults,
  );
  closing.push(api.close);
  const world = await startKici(
    { name: scaler },
    {
      clock,
      fleets,
      parameters: { Mode: mode },
      zoomiesApi: { url: api.url, hostsToken: "hosts-token", joinsToken: "joins-token" },
    },
  );
  closing.push(world.close);
  const controller: Controller = zoomiesController(
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
    { clock, random: Math.random, post, wait: async () => undefined },
  );
  for (const { pools } of fleets) for (const id of pools) controller.addPool({ id });
  world.cloud.setDesired("hooked", 1);
  world.advance(60_000);
  const ids = (group: string) => (world.cloud.group(group)?.Instances ?? []).map(({ InstanceId = "" }) => InstanceId);
  for (const name of [...ids("idle"), ...ids("hooked")]) controller.joinHost({ name, capacity: 4 });
  const tags = (agentId: string, expires: string) => ({
    "drover:stack": world.stack,
    "drover:expires-at": expires,
    "kici-managed": world.stack,
    "kici-agent-id": agentId,
    "kici-scaler": scaler,
  });
  launchByHand(world, tags("agent-lives", new Date(clock.now() + 3_600_000).toISOString()));
  launchByHand(world, tags("agent-expired", new Date(clock.now() - 1_000).toISOString()));
  world.faults.reset();

  expect((await world.send({ pool: "pool_burst", capacity: 0, slots: 7 })).status).toBe(204);
  const replies: KiciReply[] = [];
  const asks = [() => world.up(), () => world.down(world.scaleDown({ agentId: "agent-lives" })), () => world.down()];
  for (const ask of asks) {
    replies.push(await ask());
    world.advance(1);
  }
  expect((await world.reap()).outcome).toMatchObject({ kind: "answered" });
  for (let minute = 0; minute < 5; minute += 1) {
    expect((await world.reconcile()).outcome).toMatchObject({ kind: "answered" });
    world.advance(60_000);
  }
  if (mode === "observe") {
    // Asked again and again, nothing more is said.
    await world.up(world.scaleUp({ claimCode: "c".repeat(64) }));
    await world.reap();
  }
  mutations.push(
    ...world.faults
      .mutations()
      .filter(({ service }) => service !== "dynamodb")
      .map(({ service, operation }) => `${service} ${operation}`),
  );
  const trails = new Map<string, TrailEntry[]>();
  for (const name of names) trails.set(name, await trailOf(world, name));
  const ledger = JSON.stringify(await ledgerItems(world));
  return { trails, mutations, replies, ledger, lines: world.lines };
}

test("while it observes, nothing but the ledger changes, and what is decided first is what acting decides first", async () => {
  const acted = await story("act");
  const observed = await story("observe");
  expect(new Set(acted.mutations)).toEqual(
    new Set([
      "auto-scaling SetDesiredCapacity",
      "auto-scaling CompleteLifecycleAction",
      "auto-scaling TerminateInstanceInAutoScalingGroup",
      "ec2 RunInstances",
      "ec2 TerminateInstances",
      "zoomies POST /hosts/{id}/cordon",
    ]),
  );
  expect(observed.mutations).toEqual([]);

  for (const name of names) {
    const first = firstDecisions(observed.trails.get(name) ?? []);
    expect(first.length).toBeGreaterThan(0);
    expect(comparable(first)).toEqual(comparable(firstDecisions(acted.trails.get(name) ?? [])));
  }
  // Five minutes, and nothing was said twice.
  const said = [...observed.trails.values()].flatMap(comparable).map((each) => JSON.stringify(each));
  expect(new Set(said).size).toBe(said.length);
  const outcomes = [...observed.trails.values()].flat().map(({ decided, outcome }) => `${decided}: ${outcome}`);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      "raise desired capacity 0 to 2: observed",
      "cordon: observed",
      "complete-launch: observed",
      "launch: observed",
      "reap: observed",
      expect.stringMatching(/^tear down: i-\w+ observed$/),
    ]),
  );
}, 60_000);

test("KiCI is told that nothing was done, its withdrawal is kept, and no drain or attempt counts as begun", async () => {
  const { replies, ledger, lines } = await story("observe");
  expect(replies.map(({ status, answer }) => `${status} ${answer.code}`)).toEqual(
    Array.from({ length: 3 }, () => "503 observe_mode"),
  );
  expect(lines.filter((line) => line.includes('"CallFailed"') || line.includes('"ConfigError"'))).toEqual([]);
  const items = JSON.parse(ledger) as { pk: string; sk: string; body: string }[];
  const body = (pk: string, sk: string) =>
    JSON.parse(items.find((item) => item.pk === pk && item.sk === sk)?.body ?? "{}") as Record<string, unknown>;
  expect(body(`kici#${scaler}`, `agent#${agent}`)).toMatchObject({
    phase: "ended",
    withdrawn: { reason: "shutdown" },
  });
  expect(body("hosts#idle", "record")["instances"]).toBeDefined();
  expect(JSON.stringify(body("hosts#idle", "record"))).not.toContain('"drain"');
  expect(JSON.stringify(body("hosts#hooked", "record"))).not.toContain('"answeredAt"');
  expect(body("group#burst", "record")).toMatchObject({ pending: true });
  expect(body("group#burst", "record")["lastRaise"]).toBeUndefined();
}, 60_000);
