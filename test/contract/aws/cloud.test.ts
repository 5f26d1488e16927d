import { AutoScalingClient, SetDesiredCapacityCommand } from "@aws-sdk/client-auto-scaling";
import { describe, expect, test, vi } from "vitest";
import { createCloud } from "../../../infra/local/aws/cloud.ts";
import type { CloudEvent } from "../../../infra/local/aws/cloud-events.ts";
import { createFaults } from "../../../infra/local/aws/faults.ts";
import { inProcessClient } from "../../../infra/local/aws/in-process.ts";
import { seededRandom } from "../../../infra/local/aws/random.ts";
import { startAwsServer } from "../../../infra/local/aws/server.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { docs } from "./docs.ts";
import { startOfTest } from "./ways.ts";

const set = (desired: number) => new SetDesiredCapacityCommand({ AutoScalingGroupName: "g", DesiredCapacity: desired });

function story(seed: number): CloudEvent[] {
  const clock = new ManualClock(startOfTest);
  const cloud = createCloud({ clock, random: seededRandom(seed), timings: { boot: [10, 90], shutdown: [20, 60] } });
  const events: CloudEvent[] = [];
  cloud.on((event) => events.push(event));
  cloud.createGroup("g", { desired: 3, maxSize: 9 });
  clock.advance(120_000);
  cloud.call("auto-scaling", "SetDesiredCapacity", { AutoScalingGroupName: "g", DesiredCapacity: 6 }, "someone");
  clock.advance(120_000);
  cloud.terminateByHand(cloud.group("g")?.Instances?.[2]?.InstanceId ?? "");
  clock.advance(600_000);
  cloud.settle();
  return events;
}

describe("The cloud as a model", () => {
  test("the same seed and the same calls tell the same story, another seed another one", () => {
    expect(story(7)).toEqual(story(7));
    expect(story(7)).not.toEqual(story(8));
  });

  test("what happened between two calls happened at its own time and in order", () => {
    const events = story(7);
    const times = events.map((event) => event.at);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    expect(events.filter((event) => event.type === "desired-capacity")).toEqual([
      {
        at: startOfTest,
        type: "desired-capacity",
        group: "g",
        from: 0,
        to: 3,
        actor: "operator",
        operation: "UpdateAutoScalingGroup",
      },
      {
        at: startOfTest + 120_000,
        type: "desired-capacity",
        group: "g",
        from: 3,
        to: 6,
        actor: "someone",
        operation: "SetDesiredCapacity",
      },
    ]);
    const firstInService = events.find((event) => event.type === "member-state" && event.to === "InService");
    expect(firstInService?.at).toBeGreaterThan(startOfTest + 10_000);
    expect(firstInService?.at).toBeLessThan(startOfTest + 100_000);
  });

  test(`Capacity Rebalancing replaces an instance at risk before it ends (${docs.capacityRebalancing})`, () => {
    const clock = new ManualClock(startOfTest);
    const cloud = createCloud({ clock });
    cloud.createGroup("g", { desired: 2, capacityRebalance: true, newInstancesProtected: true });
    clock.advance(60_000);
    const risky = cloud.group("g")?.Instances?.[0]?.InstanceId ?? "";
    cloud.recommendRebalance(risky);
    expect(cloud.group("g")?.Instances).toHaveLength(3);
    clock.advance(120_000);
    const left = cloud.group("g")?.Instances ?? [];
    expect(left.map((entry) => entry.LifecycleState)).toEqual(["InService", "InService"]);
    expect(left.map((entry) => entry.InstanceId)).not.toContain(risky);
  });

  test("a Spot interruption ends the instance after its notice, and the group replaces it", () => {
    const clock = new ManualClock(startOfTest);
    const cloud = createCloud({ clock });
    cloud.createGroup("g", { desired: 1, newInstancesProtected: true });
    clock.advance(60_000);
    const lost = cloud.group("g")?.Instances?.[0]?.InstanceId ?? "";
    cloud.interruptSpot(lost);
    clock.advance(119_000);
    expect(cloud.instance(lost)?.State?.Name).toBe("running");
    clock.advance(1_000);
    expect(cloud.instance(lost)?.State?.Name).toBe("shutting-down");
    expect(cloud.instance(lost)?.StateReason?.Code).toBe("Server.SpotInstanceTermination");
    clock.advance(200_000);
    const [replacement] = cloud.group("g")?.Instances ?? [];
    expect(replacement?.LifecycleState).toBe("InService");
    expect(replacement?.InstanceId).not.toBe(lost);
  });
});

describe("Late answers and late effects", () => {
  test("in process, a client that gave up still causes its effect when the world's time comes", async () => {
    const clock = new ManualClock(startOfTest);
    const cloud = createCloud({ clock });
    cloud.createGroup("g");
    const faults = createFaults();
    faults.add({ on: "*", kind: "delay", ms: 5000, effect: "late" });
    const client = inProcessClient(cloud, { faults, timeoutMs: 2000 });
    const call = client.send(set(1)).catch((error: Error) => error.name);
    clock.advance(2000);
    cloud.settle();
    expect(await call).toBe("TimeoutError");
    expect(cloud.group("g")?.DesiredCapacity).toBe(0);
    const landed = new Promise((resolve) =>
      cloud.on((event) => event.type === "desired-capacity" && resolve(event.at)),
    );
    clock.advance(3000);
    cloud.settle();
    expect(await landed).toBe(startOfTest + 5000);
    expect(cloud.group("g")?.DesiredCapacity).toBe(1);
  });

  test("in process, a late answer arrives when the world's time comes, its effect was at once", async () => {
    const clock = new ManualClock(startOfTest);
    const cloud = createCloud({ clock });
    cloud.createGroup("g");
    const faults = createFaults();
    faults.add({ on: "*", kind: "delay", ms: 5000 });
    const client = inProcessClient(cloud, { faults });
    let answered = false;
    const call = client.send(set(1)).then(() => {
      answered = true;
    });
    await Promise.resolve();
    expect(cloud.group("g")?.DesiredCapacity).toBe(1);
    clock.advance(4999);
    cloud.settle();
    await Promise.resolve();
    expect(answered).toBe(false);
    clock.advance(1);
    cloud.settle();
    await call;
  });

  test("over sockets, the effect of a call that its client dropped lands all the same", async () => {
    const cloud = createCloud({ clock: new ManualClock(startOfTest) });
    cloud.createGroup("g");
    const faults = createFaults();
    faults.add({ on: "*", kind: "delay", ms: 40, effect: "late" });
    const server = await startAwsServer({ cloud, faults });
    const client = new AutoScalingClient({
      endpoint: server.url,
      region: "eu-central-1",
      credentials: { accessKeyId: "AKIAONE", secretAccessKey: "not-a-secret" },
      maxAttempts: 1,
    });
    const landed = new Promise<void>((resolve) => {
      cloud.on((event) => event.type === "desired-capacity" && resolve());
    });
    const giveUp = new AbortController();
    const call = client.send(set(1), { abortSignal: giveUp.signal }).catch((error: Error) => error.name);
    await vi.waitFor(() => expect(faults.calls).toHaveLength(1), { interval: 2 });
    giveUp.abort();
    expect(await call).toBe("AbortError");
    expect(cloud.group("g")?.DesiredCapacity).toBe(0);
    await landed;
    expect(cloud.group("g")?.DesiredCapacity).toBe(1);
    client.destroy();
    await server.close();
  });
});
