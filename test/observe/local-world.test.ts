import { afterEach, expect, test } from "vitest";
import { launchHook } from "../../infra/local/launch-hook.ts";
import type { TrailEntry } from "../../lib/ledger/trail.ts";
import { askToJoin, startHosts } from "../functions/hosts-world.ts";
import { ledgerItems } from "../functions/ledger-items.ts";
import { answered, on } from "../functions/notices.ts";
import { agent, type KiciReply, type KiciWorld, launchByHand, scaler, startKici } from "../kici/kici-world.ts";
import { comparable, firstDecisions, trailOf } from "./first-decisions.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const looked = { "drover:scale-in": "verified", "drover:idle-minutes": "2" };
const fleets = [
  { name: "burst", pools: ["pool_burst"], slotsPerHost: 4 },
  { name: "idle", pools: ["pool_idle"], slotsPerHost: 4, tags: looked, desired: 2 },
  { name: "hooked", pools: ["pool_hooked"], slotsPerHost: 4, tags: looked, group: { hooks: [launchHook] } },
  { name: "joining", pools: ["pool_joining"], slotsPerHost: 4, group: { hooks: [launchHook] } },
];
const names = [...fleets.map(({ name }) => name), "linux", `kici#${scaler}`];

interface Story {
  readonly trails: ReadonlyMap<string, TrailEntry[]>;
  /** Calls that would change something in AWS, and routes of Zoomies that would. */
  readonly mutations: readonly string[];
  readonly replies: readonly KiciReply[];
  /** What an instance was told that asked to join. */
  readonly joined: number;
  readonly ledger: string;
  readonly lines: readonly string[];
}

/**
 * A burst at one group, idle hosts in another, an instance in its launch hook and one that asks to join, KiCI's agents up, down and
 * expired, and at the end EC2's notices of a host and of an agent.
 */
async function story(mode: "act" | "observe"): Promise<Story> {
  const { controller, changes, ...given } = await startHosts(
    {
      hosts: 1,
      fleets,
      parameters: { ...on, Mode: mode },
      start: (options) => startKici({ name: scaler }, options),
    },
    closing,
  );
  const world = given.world as KiciWorld;
  const { clock } = world;
  for (const { pools } of fleets) for (const id of pools) controller.addPool({ id });
  for (const name of ["hooked", "joining"]) world.cloud.setDesired(name, 1);
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
  const taken = launchByHand(world, tags("agent-taken", new Date(clock.now() + 3_600_000).toISOString()));
  await answered(world);
  world.faults.reset();
  changes.length = 0;

  expect((await world.send({ pool: "pool_burst", capacity: 0, slots: 7 })).status).toBe(204);
  const replies: KiciReply[] = [];
  const asks = [() => world.up(), () => world.down(world.scaleDown({ agentId: "agent-lives" })), () => world.down()];
  for (const ask of asks) {
    replies.push(await ask());
    world.advance(1);
  }
  const { status: joined } = await askToJoin(world, ids("joining")[0] ?? "");
  expect((await world.reap()).outcome).toMatchObject({ kind: "answered" });
  for (let minute = 0; minute < 5; minute += 1) {
    expect((await world.reconcile()).outcome).toMatchObject({ kind: "answered" });
    world.advance(60_000);
  }
  if (mode === "observe") {
    // Asked again and again, nothing more is said.
    await world.up(world.scaleUp({ claimCode: "c".repeat(64) }));
    await world.reap();
    await askToJoin(world, ids("joining")[0] ?? "");
  }
  world.cloud.interruptSpot(ids("linux")[0] ?? "", 3_600);
  world.cloud.interruptSpot(taken, 3_600);
  await answered(world);
  const mutations = changes.map((route) => `zoomies ${route}`);
  mutations.push(
    ...world.faults
      .mutations()
      .filter(({ service }) => service !== "dynamodb")
      .map(({ service, operation }) => `${service} ${operation}`),
  );
  const trails = new Map<string, TrailEntry[]>();
  // What EC2 tells of instances that acting itself has ended is no decision of the beginning.
  const isOwn = ({ saw }: TrailEntry) => saw["kind"] !== "shutting-down" && saw["kind"] !== "terminated";
  for (const name of names) trails.set(name, (await trailOf(world, name)).filter(isOwn));
  const ledger = JSON.stringify(await ledgerItems(world));
  return { trails, mutations, replies, joined, ledger, lines: world.lines };
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
      "zoomies POST /join-tokens",
    ]),
  );
  expect(observed.mutations).toEqual([]);
  expect([acted.joined, observed.joined]).toEqual([200, 503]);

  for (const name of names) {
    const first = firstDecisions(observed.trails.get(name) ?? []);
    expect(first.length).toBeGreaterThan(0);
    expect(comparable(first)).toEqual(comparable(firstDecisions(acted.trails.get(name) ?? [])));
  }
  expect(observed.trails.get("linux")?.at(-1)).toMatchObject({
    decided: "cordon",
    reasons: ["interrupted"],
    outcome: "observed",
  });
  expect(acted.trails.get("linux")?.at(-1)).toMatchObject({ decided: "cordon", outcome: "cordoned" });
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
      "deliver a join token: observed",
      "close its agent's record: closed",
      expect.stringMatching(/^tear down: i-\w+ observed$/),
    ]),
  );
}, 120_000);

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
  expect(items.filter(({ pk }) => pk.startsWith("interruptions#"))).toEqual([]);
  expect(items.filter(({ pk }) => pk.startsWith("join#")).map((item) => JSON.parse(item.body))).toMatchObject([
    { tokens: [] },
  ]);
  expect(body("group#burst", "record")).toMatchObject({ pending: true });
  expect(body("group#burst", "record")["lastRaise"]).toBeUndefined();
}, 120_000);
