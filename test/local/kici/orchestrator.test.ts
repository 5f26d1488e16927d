import { afterEach, expect, test } from "vitest";
import type { KiciEvent } from "../../../infra/local/kici/events.ts";
import { type KiciPeers, startPeers } from "./kici-peers.ts";

const second = 1_000;
const minute = 60_000;
let peers: KiciPeers;
afterEach(() => peers.close());

const downs = () =>
  peers.events.flatMap(({ name, payload }) => (name === "kici.scaler.scale-down" ? [payload.reason] : []));
const ups = () => peers.events.filter(({ name }) => name === "kici.scaler.scale-up");
const alive = () => peers.world.alive().length;

test("a job gets an agent of its own, which claims, registers, works, and is torn down", async () => {
  peers = await startPeers();
  const agentId = peers.orchestrator.queueJob({ labels: ["default", "gpu"], cpus: 2, durationMs: minute });
  await peers.pass(minute);
  expect(peers.ends).toEqual(["launched"]);
  expect(peers.said).toEqual([
    expect.stringMatching(
      `agent ${agentId} claimed its token on i-[0-9a-f]+, registered with 6 labels and takes its job`,
    ),
  ]);
  expect(alive()).toBe(1);
  await peers.pass(2 * minute);
  expect(downs()).toEqual(["shutdown"]);
  expect(peers.ends).toHaveLength(2);
  expect(alive()).toBe(0);
  expect(peers.world.launches()).toBe(1);
  expect(peers.orchestrator.spawns.size).toBe(0);
});

test("an agent whose image came too late cannot claim, ends at once, and is given up after eight minutes", async () => {
  peers = await startPeers({ fateOf: () => "late" });
  peers.orchestrator.queueJob();
  await peers.pass(6 * minute);
  expect(peers.said).toEqual([expect.stringContaining("cannot claim: claim code expired")]);
  // Its own end, long before its lifetime's and before any scale-down.
  expect([alive(), downs()]).toEqual([0, []]);
  await peers.pass(3 * minute);
  expect(downs()).toEqual(["spawn-timeout"]);
  expect(peers.ends.at(-1)).toBe("absent");
});

test.each([
  ["crashes", minute, "shutdown"],
  ["hangs", 32 * minute, "heartbeat-timeout"],
] as const)("an agent that %s is torn down, and nothing of it is left", async (fate, within, reason) => {
  peers = await startPeers({ fateOf: () => fate });
  peers.orchestrator.queueJob({ durationMs: 30 * second });
  await peers.pass(within + minute);
  expect(downs()).toEqual([reason]);
  expect(alive()).toBe(0);
});

test("without any scale-down an instance ends itself at its maximum lifetime", async () => {
  peers = await startPeers({ fateOf: () => "hangs" });
  peers.orchestrator.blockScaleDowns(true);
  peers.orchestrator.queueJob();
  await peers.pass(119 * minute);
  expect([alive(), downs()]).toEqual([1, []]);
  await peers.pass(2 * minute);
  expect(peers.said.at(-1)).toContain("is at its maximum lifetime and powers off");
  expect(alive()).toBe(0);
  peers.orchestrator.blockScaleDowns(false);
  await peers.pass(11 * minute);
  expect([downs(), peers.ends.at(-1)]).toEqual([["shutdown"], "absent"]);
});

test("a job that is cancelled before its agent came is withdrawn, and its instance with it", async () => {
  peers = await startPeers({ fateOf: () => "late" });
  const agentId = peers.orchestrator.queueJob();
  peers.orchestrator.cancelJob(agentId);
  await peers.pass(32 * second);
  expect(downs()).toEqual(["job-complete"]);
  expect(peers.ends).toEqual(["launched", "terminating"]);
  expect(alive()).toBe(0);
});

test("a withdrawal that overtakes its launch wins: the repeated scale-up launches nothing", async () => {
  peers = await startPeers();
  peers.world.cloud.setCapacity("*", "*", "none");
  peers.orchestrator.cancelJob(peers.orchestrator.queueJob());
  await peers.pass(32 * second);
  peers.world.cloud.setCapacity("*", "*", undefined);
  await peers.pass(2 * minute);
  expect([...peers.ends].sort()).toEqual(["absent", "withdrawn"]);
  expect(peers.world.launches()).toBe(0);
});

test("two workflows that match, a dispatch that is tried again, and an operator's redelivery launch once", async () => {
  peers = await startPeers();
  peers.orchestrator.dispatch.setWorkflows(2);
  peers.orchestrator.dispatch.failNext(2);
  peers.orchestrator.queueJob();
  await peers.pass(minute / 2);
  expect(peers.ends.filter((end) => end === "launched")).toHaveLength(1);
  expect(peers.ends.filter((end) => end === "exists").length).toBeGreaterThan(1);
  const [up] = ups();
  await peers.pass(24 * 60 * minute);
  peers.orchestrator.dispatch.setWorkflows(1);
  peers.orchestrator.dispatch.redeliver(up as KiciEvent);
  await peers.pass(minute);
  expect(peers.ends.at(-1)).toBe("withdrawn");
  expect(peers.world.launches()).toBe(1);
});

test("capacity that comes back within two minutes is still in time for the claim", async () => {
  peers = await startPeers();
  peers.world.faults.add({ on: "ec2:RunInstances", kind: "error", code: "RequestLimitExceeded", httpStatus: 503 });
  peers.orchestrator.queueJob();
  await peers.pass(75 * second);
  expect(peers.world.launches()).toBe(0);
  peers.world.faults.clear();
  await peers.pass(90 * second);
  expect(peers.ends).toEqual(["launched", expect.anything()]);
  expect(peers.said[0]).toContain("claimed its token");
});

test("an event that cannot be dispatched is given up after five tries", async () => {
  peers = await startPeers();
  peers.orchestrator.dispatch.failNext(5);
  peers.orchestrator.queueJob();
  await peers.pass(10 * minute);
  expect(peers.orchestrator.dispatch.dead).toHaveLength(1);
  expect(peers.world.launches()).toBe(1);
});

test("events have the real shape", async () => {
  peers = await startPeers();
  peers.orchestrator.queueJob({ memBytes: 1024 ** 3 });
  await peers.pass(5 * minute);
  const [up, down] = peers.events.map(({ payload }) => payload);
  expect(up).toEqual({
    scalerName: "aws-linux",
    agentId: expect.stringMatching(/^scaler-event-[0-9a-f]{8}$/),
    labels: ["default", "kici:agent:event", "kici:scaler:aws-linux", "kici:role:builder", "kici:role:init-runner"],
    mandatoryLabels: [],
    resources: { memBytes: 1024 ** 3 },
    orchestratorUrl: "wss://ci.example.com/ws",
    claimCode: expect.stringMatching(/^[0-9a-f]{64}$/),
    jobId: expect.any(String),
    requestId: expect.any(String),
  });
  expect(Object.keys(down ?? {})).toEqual(["scalerName", "agentId", "reason", "requestId"]);
  expect(down?.requestId).not.toBe(up?.requestId);
  expect(peers.world.lines.join("\n")).not.toContain((up as { claimCode: string }).claimCode);
});
