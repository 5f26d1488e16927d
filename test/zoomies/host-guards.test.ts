import { describe, expect, test } from "vitest";
import { groupKey } from "../../lib/ledger/readings.ts";
import type { ZoomiesRecord } from "../../lib/zoomies/group-record.ts";
import { LifeWorld, verified } from "./life-world.ts";

const terminates = (world: LifeWorld) => world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup");
const raises = (world: LifeWorld) => world.faults.count("auto-scaling:SetDesiredCapacity");

function queue(world: LifeWorld, jobs: number): void {
  const pool = world.zoomies.queues.get("pool_a");
  if (pool !== undefined) pool.queued_jobs = jobs;
}

const phase = async (world: LifeWorld) =>
  Object.values((await world.record())?.instances ?? {}).find(({ drain }) => drain !== undefined)?.drain?.phase;

/** Two hosts, one of which the next run would end. */
async function ripe(): Promise<LifeWorld> {
  const world = new LifeWorld(verified({ minSize: 0 }));
  world.cloud.setDesired("linux", 2);
  for (let minute = 0; minute < 20 && (await phase(world)) !== "empty"; minute += 1) await world.minutes(1);
  expect(await phase(world)).toBe("empty");
  return world;
}

async function change(world: LifeWorld, more: Partial<ZoomiesRecord>): Promise<void> {
  const stored = await world.parts.records.read<ZoomiesRecord>(groupKey("linux"));
  if (stored === undefined) throw new Error("no record");
  await world.parts.records.replace(groupKey("linux"), stored, { ...stored.value, ...more });
}

describe("between the decision and the terminate", () => {
  /** Something happens right after the intent is in the ledger, before the last looks. */
  async function meanwhile(happens: (world: LifeWorld, hostId: string) => unknown): Promise<LifeWorld> {
    const world = await ripe();
    let done = false;
    world.travel = async (call, effect) => {
      if (!done && call.startsWith("aws DescribeAutoScalingGroups") && (await phaseOf(world)) === "terminating") {
        done = true;
        const { drain } = Object.values((await world.record())?.instances ?? {}).find((notes) => notes.drain) ?? {};
        await happens(world, drain?.hostId ?? "");
      }
      return effect();
    };
    await world.minutes(1);
    expect(done).toBe(true);
    return world;
  }
  const phaseOf = async (world: LifeWorld) => {
    const { travel } = world;
    world.travel = (_, effect) => effect();
    const now = await phase(world);
    world.travel = travel;
    return now;
  };

  test.each<[string, (world: LifeWorld, hostId: string) => unknown]>([
    ["a job is queued", (world) => queue(world, 1)],
    [
      "somebody uncordons the host",
      (world, id) => Object.assign(world.zoomies.rows.get(id) ?? {}, { cordoned: false }),
    ],
    ["the host falls silent", (world, id) => Object.assign(world.zoomies.rows.get(id) ?? {}, { healthy: false })],
    ["the host is renamed", (world, id) => Object.assign(world.zoomies.rows.get(id) ?? {}, { name: "other" })],
    ["a runner appears on it", (world, id) => world.zoomies.addRunner(id, "pool_a", "provisioning")],
    ["MinSize is raised", (world) => world.cloud.updateGroup("linux", { minSize: 2 })],
    [
      "the instance goes to standby",
      (world, id) => world.cloud.setMemberState(world.zoomies.rows.get(id)?.name ?? "", "Standby"),
    ],
  ])("nothing is sent when %s", async (_, happens) => {
    const world = await meanwhile(happens);
    expect(terminates(world)).toBe(0);
    expect(await phase(world)).not.toBe("terminating");
  });

  test("and when nothing happens, it is sent", async () => {
    expect(terminates(await meanwhile(() => undefined))).toBe(1);
  });
});

describe("a raise and a terminate of one group", () => {
  test("do not meet: while an unanswered raise may still land, nothing is ended", async () => {
    const world = await ripe();
    await change(world, { lastRaise: { to: 2, at: world.clock.now() + 60_000, unanswered: true } });
    await world.minutes(1);
    expect(terminates(world)).toBe(0);
    await world.minutes(6);
    expect(terminates(world)).toBeGreaterThan(0);
  });

  test("are counted together: what a raise set is remembered as one less after a terminate", async () => {
    const world = await ripe();
    await change(world, { lastRaise: { to: 2, at: world.clock.now() } });
    await world.minutes(1);
    expect(terminates(world)).toBe(1);
    const stored = await world.parts.records.read<ZoomiesRecord>(groupKey("linux"));
    expect(stored?.value.lastRaise?.to).toBe(1);
  });
});

describe("nothing is bought twice", () => {
  test("for jobs that wait beside a free slot, which a scheduler's pass will give them", async () => {
    const world = new LifeWorld(verified());
    world.cloud.setDesired("linux", 1);
    await world.minutes(2);
    world.zoomies.pass = () => undefined;
    queue(world, 9);
    await world.minutes(3);
    expect(raises(world)).toBe(0);
  });

  test("for an instance that is given up in its hook and that Auto Scaling replaces by itself", async () => {
    const world = new LifeWorld(verified());
    world.cloud.setDesired("linux", 1);
    await world.minutes(2);
    queue(world, 8);
    world.boot = async () => undefined;
    await world.minutes(16);
    expect(world.counts["Launches abandoned"]).toBeGreaterThan(0);
    expect(world.desired()).toBe(2);
  });

  test("for one in service that never joined and has just been ended", async () => {
    const world = new LifeWorld(verified({ hooks: false }));
    world.cloud.setDesired("linux", 2);
    world.clock.advance(60_000);
    world.cloud.settle();
    const [first, second] = world.instances();
    const { answer } = await world.ask(first?.id ?? "");
    const hostId = world.zoomies.join(answer.token, answer.name) ?? "";
    await world.ask(second?.id ?? "");
    for (let slot = 0; slot < 4; slot += 1) world.zoomies.addRunner(hostId, "pool_a", "busy");
    world.boot = async () => undefined;
    await world.minutes(25);
    expect(world.desired()).toBe(1);
    expect(raises(world)).toBe(0);
  });
});
