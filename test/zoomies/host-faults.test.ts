import { describe, expect, test } from "vitest";
import { LifeWorld, verified } from "./life-world.ts";

/** What befalls one call: its reply is lost, it fails, or Drover's process dies before or after its effect. */
const mishaps = ["fails", "loses its reply", "is the last before a crash", "is cut off by a crash"] as const;
type Mishap = (typeof mishaps)[number];

const never = new Promise<never>(() => undefined);

/** From a burst to the minimum again, with a job that must live on one of the hosts all the while. */
class Story {
  readonly world = new LifeWorld(verified({ minSize: 1, tags: { "drover:idle-minutes": "2" } }));
  readonly calls: string[] = [];
  #dead: (() => void) | undefined;

  constructor(at = Number.POSITIVE_INFINITY, mishap: Mishap = "fails") {
    const plain = this.world.travel;
    this.world.travel = async (call, effect) => {
      this.calls.push(call);
      if (this.calls.length !== at) return plain(call, effect);
      if (mishap === "fails") throw new Error("no answer");
      if (mishap === "is cut off by a crash") return this.#die();
      await effect().catch(() => undefined);
      if (mishap === "is the last before a crash") return this.#die();
      throw new Error("no answer");
    };
  }

  #die(): Promise<never> {
    this.#dead?.();
    return never;
  }

  /** A run that ends when it is done, has failed, or its process is dead. */
  async #run(): Promise<void> {
    const death = new Promise<void>((resolve) => {
      this.#dead = resolve;
    });
    await Promise.race([this.world.run().catch(() => undefined), death]);
  }

  async minutes(count: number): Promise<void> {
    for (let minute = 0; minute < count; minute += 1) {
      for (let pass = 0; pass < 6; pass += 1) {
        this.world.clock.advance(10_000);
        this.world.cloud.settle();
        this.world.hush();
        const death = new Promise<void>((resolve) => {
          this.#dead = resolve;
        });
        await Promise.race([this.world.boot().catch(() => undefined), death]);
        this.world.zoomies.pass();
      }
      await this.#run();
    }
  }

  /** Tells the story, and gives the job that must not be ended. */
  async tell(): Promise<{ runner: string; hostId: string }> {
    const { zoomies } = this.world;
    await this.minutes(2);
    const pool = zoomies.queues.get("pool_a");
    if (pool === undefined) throw new Error("no pool");
    pool.queued_jobs = 9;
    await this.minutes(5);
    const [long] = zoomies.live.values();
    if (long === undefined) throw new Error("no job runs");
    for (const { id } of zoomies.live.values()) if (id !== long.id) zoomies.endRunner(id);
    await this.minutes(12);
    return { runner: long.id, hostId: long.host_id };
  }
}

const quiet = new Story();
await quiet.tell();
/** The story without a mishap has so many calls; each of them is hit once by each mishap, some at a time. */
const total = quiet.calls.length;

describe.each(mishaps)("when a call %s", (mishap) => {
  test(`wherever it is, no job is ended, and the group comes down to its minimum all the same`, async () => {
    expect(total).toBeGreaterThan(200);
    for (let at = 1; at <= total; at += 1) {
      const story = new Story(at, mishap);
      const { world } = story;
      const { runner, hostId } = await story.tell();
      const where = `${at} of ${total}: ${story.calls[at - 1]}`;
      expect(world.zoomies.live.has(runner), where).toBe(true);
      expect(world.zoomies.rows.get(hostId)?.healthy, where).toBe(true);
      // A drain that was given up waits for its idle clock again.
      await story.minutes(12);
      expect(world.desired(), where).toBe(1);
      expect(
        [...world.zoomies.rows.values()].map(({ id, cordoned }) => [id, cordoned]),
        where,
      ).toEqual([[hostId, false]]);
      expect(world.zoomies.live.size, where).toBe(1);
    }
  });
});

test("the story touches every call that the host half makes", () => {
  const touched = new Set(quiet.calls);
  for (const call of [
    "aws DescribeAutoScalingGroupsCommand",
    "aws DescribeLifecycleHooksCommand",
    "aws CompleteLifecycleActionCommand",
    "aws SetDesiredCapacityCommand",
    "aws TerminateInstanceInAutoScalingGroupCommand",
    "aws DescribePoliciesCommand",
    "aws DescribeScheduledActionsCommand",
    "aws DescribeInstanceRefreshesCommand",
    "aws DescribeInstancesCommand",
    "aws DescribeAutoScalingInstancesCommand",
    "zoomies hosts",
    "zoomies host",
    "zoomies runners",
    "zoomies pools",
    "zoomies cordon",
    "zoomies deleteHost",
    "zoomies mint",
    "ledger get",
    "ledger put",
  ]) {
    expect(touched).toContain(call);
  }
});
