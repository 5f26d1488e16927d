import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ledger, openLedger } from "../../infra/cli/ledger.ts";
import { ops } from "../../infra/ops/command.ts";
import { readMemory } from "../../lib/helmr/group-memory.ts";
import { ledgerAgents } from "../../lib/kici/agent-record.ts";
import { liveSetOf } from "../../lib/kici/parts.ts";
import { ledgerOperations } from "../../lib/ledger/operations.ts";
import { wishCancel } from "../../lib/zoomies/cancel-wish.ts";
import { type HostsRecord, hostsKey } from "../../lib/zoomies/host-notes.ts";
import { startWorld, type TestWorld } from "../world.ts";
import { LifeWorld, verified } from "../zoomies/life-world.ts";
import { type } from "./command-line.ts";

const draining = "i-0123456789abcdef0";
const going = "i-0123456789abcdef1";
const helmrKey = "019876aa-0000-7000-8000-0000000000aa";

let world: TestWorld;
let ledger: Ledger;

/** A ledger with one operation of each kind in flight, as the functions would have left it. */
beforeEach(async () => {
  world = await startWorld();
  const { dynamodb, table } = world;
  ledger = await openLedger({}, () => ({
    api: "",
    aws: "",
    dynamodb,
    table,
    stack: "",
    zoomiesApi: { url: "", hostsToken: "", joinsToken: "" },
    secrets: { zoomies: "", kici: "" },
    fleets: [],
    scaler: "",
  }));
  const { records, liveSets, clock } = ledger;
  const now = clock.now() - 5 * 60_000;
  for (const fleet of ["linux", "asg-general", "default"]) {
    const decision = { decided: "cordon", reasons: ["idle and not needed"], outcome: "cordoned" };
    await ledger.trail.append({ fleet, saw: { instance: draining }, ...decision });
  }
  const drain = { hostId: "host-1", startedAt: now, changedAt: now };
  const notes = (instance: string, phase: "cordoned" | "terminating") => ({
    seenAt: now,
    drain: { key: `${instance}#${now}`, phase, ...drain },
  });
  const record: HostsRecord = {
    instances: { [draining]: notes(draining, "cordoned"), [going]: notes(going, "terminating") },
    lookedAt: now,
    abandons: { count: 0, lastAt: 0 },
  };
  await records.create(hostsKey("linux"), record);
  const memory = await readMemory(records, "default");
  await memory.save({
    open: [helmrKey],
    said: { [`operation:${helmrKey}`]: "operation wait: the host is draining (wait)" },
  });
  await ledgerOperations<string, unknown>(records, ledger.table, clock).start({
    fleet: "helmr#default",
    key: helmrKey,
    phase: "draining",
    owner: "run",
    ownedUntil: 0,
    detail: { group: "asg-general", instance: "i-0123456789abcdef2" },
  });
  const agents = ledgerAgents(records);
  const place = liveSetOf("aws-linux", "x86_64");
  for (const [agent, value] of [
    ["agent-unsure", { phase: "launching" }],
    ["agent-withdrawn", { phase: "launched", instanceId: going, withdrawn: { at: now, reason: "idle" } }],
    ["agent-well", { phase: "launched", instanceId: draining }],
  ] as const) {
    await liveSets.admit(place, agent);
    await agents.write({ scaler: "aws-linux", agent }, undefined, value);
  }
});

afterEach(async () => {
  ledger.close();
  await world.close();
});

describe("npm run ops", () => {
  test("lists what is in flight, of all three integrations, and why each waits", async () => {
    const { exit, out } = await type(ops, "list", world);
    expect(exit).toBe(0);
    const rows = out.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows.map(([id, kind]) => `${id} ${kind}`).sort()).toEqual(
      [
        "ID KIND",
        `${draining} zoomies drain`,
        `${going} zoomies drain`,
        `${helmrKey} helmr drain`,
        "agent-unsure kici launch",
        "agent-withdrawn kici teardown",
      ].sort(),
    );
    expect(out).toContain("a busy runner gives the drain up");
    expect(out).toMatch(/ {2}the host is draining$/m);
    expect(out).toContain("nobody knows whether it launched");
    const json = JSON.parse((await type(ops, "list --json", world)).out) as { operations: unknown[] };
    expect(json.operations).toHaveLength(5);
  });

  test("shows one with its last decisions", async () => {
    const { exit, out } = await type(ops, `show ${draining}`, world);
    expect(exit).toBe(0);
    expect(out).toContain(`zoomies drain ${draining} of linux: cordoned, begun`);
    expect(out).toContain("decision  cordon");
  });

  test("a cancel is a wish in the ledger, for this drain alone, and nothing else is written", async () => {
    const before = await ledger.records.read(hostsKey("linux"));
    expect(await type(ops, `cancel ${draining}`, world)).toMatchObject({
      exit: 0,
      out: expect.stringContaining("The next minute run uncordons the host"),
    });
    expect(await ledger.records.read(hostsKey("linux"))).toEqual(before);
    expect((await type(ops, "list", world)).out).toContain(
      "the next minute run, which gives it up: an operator wants it",
    );
    const { items } = await ledger.table.query("cancel#linux", { limit: 10 });
    expect(items.map(({ sk }) => sk)).toEqual([expect.stringMatching(`^${draining}#`)]);
  });

  test.each([
    [going, "there is no way back"],
    [helmrKey, "Helmr takes no drain back"],
    ["agent-unsure", "KiCI's scale-down for the agent ends whatever was launched"],
    ["agent-withdrawn", "is not taken back"],
  ])("%s cannot be cancelled, and it says why", async (id, sentence) => {
    const { exit, out } = await type(ops, `cancel ${id}`, world);
    expect(exit).toBe(1);
    expect(out).toContain(sentence);
    expect((await ledger.table.query("cancel#linux", { limit: 10 })).items).toEqual([]);
  });

  test.each([
    ["", 2],
    ["list me", 2],
    ["show", 2],
    ["stop i-1", 2],
    ["show i-0fffffffffffffff9", 1],
    ["cancel agent-well", 1],
  ])("%j ends with exit code %d", async (args, exit) => {
    expect((await type(ops, args, world)).exit).toBe(exit);
  });

  test("says so when nothing is in flight", async () => {
    const empty = await startWorld();
    expect((await type(ops, "list", empty)).out).toBe("Nothing is in flight.");
    await empty.close();
  });
});

describe("a wish to give a drain up", () => {
  async function drainingWorld(): Promise<{ life: LifeWorld; instance: string; key: string }> {
    const life = new LifeWorld(verified({ hooks: false, tags: { "drover:idle-minutes": "5" } }));
    life.cloud.setDesired("linux", 1);
    for (let minute = 0; minute < 20; minute += 1) {
      await life.minutes(1);
      const [found] = Object.entries((await life.record())?.instances ?? {}).filter(([, { drain }]) => drain);
      if (found !== undefined) return { life, instance: found[0], key: found[1].drain?.key ?? "" };
    }
    throw new Error("No drain began.");
  }

  test("is heeded by the next look: the host is uncordoned and stays", async () => {
    const { life, instance, key } = await drainingWorld();
    expect(life.zoomies.hostNamed(instance)?.cordoned).toBe(true);
    await wishCancel(life.parts.records, "linux", key, life.clock.now());
    await life.minutes(3);
    expect(life.zoomies.hostNamed(instance)?.cordoned).toBe(false);
    expect(life.desired()).toBe(1);
    const ended = (await life.parts.trail.since("linux", 0, 1_000)).filter(({ decided }) => decided === "drain");
    expect(ended).toMatchObject([{ outcome: "cancelled", reasons: ["an operator wants it given up"] }]);
  });

  test("says nothing about the next drain of the same host", async () => {
    const { life, key } = await drainingWorld();
    await wishCancel(life.parts.records, "linux", key, life.clock.now());
    await life.minutes(20);
    expect(life.desired()).toBe(0);
  });
});
