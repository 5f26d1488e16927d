import { describe, expect, test } from "vitest";
import { createWorkload, type Workload, type WorkloadOptions } from "../../../infra/local/helmr/workload.ts";
import { type Machines, machines } from "./machines.ts";

function loaded(world: Machines, options: Partial<WorkloadOptions> = {}): Workload {
  const { model, workers, agenda, random, group } = world;
  return createWorkload({ model, workers, agenda, random, groupId: group.id, ...options });
}

describe("the callers of a group", () => {
  test("work runs where there is room, ends after its time and frees its place for the next", () => {
    const world = machines();
    const load = loaded(world, { admission: "always" });
    world.startMachine("i-a");
    world.pass(60);
    for (let index = 0; index < 6; index += 1) load.submit({ durationMs: 100_000 });
    world.pass(1);
    expect([load.running.size, load.waiting]).toEqual([4, 2]);
    world.pass(100);
    expect([load.running.size, load.finished]).toEqual([2, 4]);
    world.pass(101);
    expect([load.finished, load.waiting]).toEqual([6, 0]);
  });

  test("work queued while the group is paused runs when it is active again, though nothing else happens", () => {
    const world = machines();
    const load = loaded(world, { admission: "always" });
    world.startMachine("i-a");
    world.pass(60);
    world.model.setGroupStatus(world.group.id, "paused");
    load.submit({ durationMs: 60_000 });
    world.pass(5);
    expect([load.running.size, load.waiting]).toEqual([0, 1]);
    world.model.setGroupStatus(world.group.id, "active");
    world.pass(1);
    expect([load.running.size, load.waiting]).toEqual([1, 0]);
  });

  test("work cut off with its machine is recorded: what it was, where and when", () => {
    const world = machines();
    const load = loaded(world);
    world.startMachine("i-a");
    world.pass(60);
    load.submit({ durationMs: 600_000 });
    world.pass(5);
    world.workers.instanceGone("i-a", world.now());
    expect(load.cutOff).toMatchObject([{ instanceId: "i-a", at: world.now() }]);
    world.pass(700);
    expect(load.finished).toBe(0);
  });

  test("a machine that drained to its acknowledgment ends without cutting anything off", () => {
    const world = machines();
    const load = loaded(world);
    world.startMachine("i-a");
    world.pass(60);
    load.submit({ durationMs: 200_000 });
    world.pass(5);
    world.workers.shutdownNotice("i-a");
    world.pass(100);
    expect(world.row("i-a").status).toBe("draining");
    world.pass(120);
    expect(world.row("i-a").status).toBe("termination_ready");
    world.workers.instanceGone("i-a", world.now());
    expect([load.cutOff.length, load.finished]).toEqual([0, 1]);
  });

  test("a silent worker keeps its finished work charged until it speaks again", () => {
    const world = machines();
    const load = loaded(world);
    world.startMachine("i-a");
    world.pass(60);
    load.submit({ durationMs: 30_000 });
    world.pass(5);
    world.workers.crash("i-a");
    world.pass(40);
    expect(world.row("i-a").leases.size).toBe(1);
    world.workers.restart("i-a");
    world.pass(60);
    expect(world.row("i-a")).toMatchObject({ status: "active", sessionProcesses: 0 });
    expect(world.row("i-a").leases.size).toBe(0);
  });

  test("a refused Turn is tried again by its caller; a build waits in the queue", () => {
    const world = machines();
    const load = loaded(world);
    load.submit();
    load.submit({ kind: "build" });
    expect([load.refused, load.waiting, world.group.queue.size]).toEqual([1, 2, 1]);
    world.startMachine("i-a");
    world.pass(300);
    expect([load.waiting, load.finished]).toEqual([0, 2]);
  });

  test("a restore that is bound to a pool runs there and nowhere else", () => {
    const world = machines();
    const load = loaded(world);
    world.startMachine("i-a");
    world.pass(60);
    const second = world.model.addPool(world.group.id, "second");
    world.workers.serve("asg-2", {
      groupId: world.group.id,
      poolName: "second",
      template: world.pool.template ?? never(),
    });
    world.workers.instanceStarted("i-b", "asg-2", world.now());
    world.pass(60);
    load.submit({ kind: "restore", poolId: second.id });
    world.pass(1);
    expect([...load.running.values()].map((each) => each.instanceId)).toEqual(["i-b"]);
  });

  test("the same seed gives the same day, another seed another one", () => {
    const day = (seed: number) => {
      const world = machines({ seed });
      const load = loaded(world);
      for (const id of ["i-a", "i-b", "i-c"]) world.startMachine(id);
      load.generate(world.now() + 7_200_000);
      world.pass(9_000);
      return [load.finished, load.refused, load.running.size];
    };
    const [first, again, other] = [day(1), day(1), day(2)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first?.[0]).toBeGreaterThan(50);
  });
});

function never(): never {
  throw new Error("the pool is not sealed");
}
