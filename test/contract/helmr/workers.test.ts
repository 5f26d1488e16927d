import { describe, expect, test } from "vitest";
import { createCloud } from "../../../infra/local/aws/cloud.ts";
import { seededRandom } from "../../../infra/local/aws/random.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { bindCloud } from "../../../infra/local/helmr/cloud-binding.ts";
import { ControlPlaneModel } from "../../../infra/local/helmr/model/control-plane-model.ts";
import { drain } from "../../../infra/local/helmr/model/drain.ts";
import { confirmLost } from "../../../infra/local/helmr/model/loss.ts";
import type { Host } from "../../../infra/local/helmr/model/state.ts";
import { startHelmr } from "../../../infra/local/helmr/peer.ts";
import { createWorkers } from "../../../infra/local/helmr/workers.ts";
import { httpControlPlane } from "../../../lib/helmr/http-control-plane.ts";
import { type Machines, machines } from "./machines.ts";
import { start, template, token } from "./setting.ts";

function startDrain({ model }: Machines, host: Host): void {
  const fence = { expected_epoch: host.epoch ?? 0, expected_claim_version: host.claimVersion };
  drain(model.region, host.id, { ...fence, reason: "replacement" });
}

describe("a machine's worker (notes 2.1 and 5)", () => {
  test("enrols after its boot, is active a little later, and stays fresh by its reports", () => {
    const world = machines();
    world.startMachine("i-a");
    world.pass(39);
    expect(world.group.rows.size).toBe(0);
    world.pass(1);
    expect(world.row("i-a")).toMatchObject({ status: "registering", epoch: 1 });
    world.pass(5);
    expect(world.row("i-a").status).toBe("active");
    world.pass(3_600);
    expect(world.row("i-a").status).toBe("active");
  });

  test("a drained worker finishes its work, however long, before it acknowledges", () => {
    const world = machines();
    world.startMachine("i-a");
    world.pass(60);
    const host = world.row("i-a");
    const lease = world.model.demand.lease(host.id, { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 });
    startDrain(world, host);
    world.pass(1_200);
    expect(host.status).toBe("draining");
    world.model.demand.release(host.id, lease);
    world.pass(5);
    expect(host.status).toBe("termination_ready");
    world.pass(600);
    expect(host.status).toBe("termination_ready");
  });

  test("a worker that could not drain in half an hour starts again, a new epoch and still draining", () => {
    const world = machines();
    world.startMachine("i-a");
    world.pass(60);
    const host = world.row("i-a");
    world.model.demand.lease(host.id, { kind: "work", cpu_millis: 1, memory_bytes: 1, disk_bytes: 1 });
    startDrain(world, host);
    world.pass(1_900);
    expect(host).toMatchObject({ status: "draining", epoch: 2 });
  });

  test("a crashed worker is lost after two minutes; one that restarts is a new row then", () => {
    const world = machines();
    world.startMachine("i-a");
    world.pass(60);
    const first = world.row("i-a");
    world.workers.crash("i-a");
    world.pass(160);
    expect(first.status).toBe("lost");
    world.workers.restart("i-a");
    world.pass(20);
    expect(world.row("i-a").id).not.toBe(first.id);
    expect(world.row("i-a").status).toBe("active");
  });

  test("one that restarts in time keeps its row, with the next epoch", () => {
    const world = machines({ fate: () => ({ kind: "crashes", afterMs: 60_000, restarts: true }) });
    world.startMachine("i-a");
    world.pass(130);
    expect(world.group.rows.get("i-a")).toHaveLength(1);
    expect(world.row("i-a")).toMatchObject({ status: "active", epoch: 2 });
  });

  test("a machine can run without ever registering", () => {
    const world = machines({ fate: () => ({ kind: "never-registers" }) });
    world.startMachine("i-a");
    world.pass(3_600);
    expect(world.group.rows.size).toBe(0);
    expect(world.workers.isPresent("i-a")).toBe(true);
  });

  test("a machine of another type registers and is never active (notes 7.28)", () => {
    const larger = { ...template, cpu_millis: 16_000 };
    const world = machines({
      fate: (id) => (id === "i-b" ? { kind: "other-machine", template: larger } : { kind: "healthy" }),
    });
    world.startMachine("i-a");
    world.pass(60);
    world.startMachine("i-b");
    world.pass(3_600);
    expect(world.row("i-b").status).toBe("registering");
  });

  test("a machine that is told of its end drains for shutdown; one that vanishes just falls silent", () => {
    const world = machines();
    world.startMachine("i-a");
    world.startMachine("i-b");
    world.pass(60);
    world.workers.shutdownNotice("i-a");
    expect(world.row("i-a")).toMatchObject({ status: "termination_ready", drainReason: "shutdown" });
    world.workers.instanceGone("i-b", world.now());
    expect(world.row("i-b").status).toBe("active");
    world.pass(160);
    expect(world.row("i-b").status).toBe("lost");
  });

  test("a worker whose row was wrongly confirmed lost comes back in a new one", () => {
    const world = machines();
    world.startMachine("i-a");
    world.pass(60);
    confirmLost(world.model.region, world.row("i-a").id);
    world.pass(60);
    expect(world.group.rows.get("i-a")?.map((host) => host.status)).toEqual(["lost", "active"]);
  });
});

test("a whole Helmr stands beside the simulated AWS, and its evidence lets work in over HTTP", async () => {
  const clock = new ManualClock(start);
  const cloud = createCloud({ clock });
  cloud.createGroup("asg", { minSize: 1, maxSize: 3, desired: 1 });
  const peer = await startHelmr({
    cloud,
    random: seededRandom(5),
    token,
    regionId: "aws-us-east-1",
    fleets: [{ autoScalingGroup: "asg", group: "default", pool: "general", template }],
  });
  const port = httpControlPlane({ baseUrl: peer.server.url, token: async () => token });
  try {
    for (let turn = 0; turn < 8; turn += 1) {
      clock.advance(15_000);
      cloud.settle();
    }
    const found = peer.groups.get("default");
    if (found === undefined) throw new Error("no group");
    const { workload } = found;
    for (let index = 0; index < 5; index += 1) workload.submit();
    expect([workload.waiting, workload.refused]).toEqual([5, 1]);
    cloud.settle();
    expect(workload.running.size).toBe(4);
    expect((await port.hosts({})).worker_hosts).toMatchObject([{ status: "active" }]);
  } finally {
    port.close();
    await peer.close();
  }
});

test("machines of the simulated AWS carry workers from running to their end", () => {
  const clock = new ManualClock(start);
  const cloud = createCloud({ clock });
  const random = seededRandom(3);
  const model = new ControlPlaneModel({ clock: { now: () => cloud.world.now() }, random });
  const group = model.addGroup("default", "aws-us-east-1");
  model.addPool(group.id, "general");
  const workers = createWorkers({ model, agenda: cloud, random });
  workers.serve("asg", { groupId: group.id, poolName: "general", template });
  bindCloud(cloud, workers);
  cloud.createGroup("asg", { minSize: 1, maxSize: 3, desired: 2 });
  cloud.createGroup("unrelated", { minSize: 1, maxSize: 1, desired: 1 });
  const pass = (seconds: number) => {
    clock.advance(seconds * 1_000);
    cloud.settle();
    model.settle();
  };
  pass(120);
  const rows = [...group.rows.values()].flat();
  expect(rows.map((host) => host.status)).toEqual(["active", "active"]);
  const gone = rows[0]?.resourceId ?? "";
  cloud.terminateByHand(gone);
  pass(20);
  expect(workers.isPresent(gone)).toBe(false);
  expect(workers.instances()).toHaveLength(1);
});
