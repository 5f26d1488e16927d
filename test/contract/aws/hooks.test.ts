import {
  CompleteLifecycleActionCommand,
  DescribeLifecycleHooksCommand,
  RecordLifecycleActionHeartbeatCommand,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { describe, expect, test } from "vitest";
import type { HookSpec } from "../../../infra/local/aws/auto-scaling/group-spec.ts";
import { docs } from "./docs.ts";
import { type Bench, openBench, refusal, ways } from "./ways.ts";

const launchHook: HookSpec = {
  name: "join",
  transition: "launching",
  heartbeatTimeout: 600,
  defaultResult: "CONTINUE",
};
const endHook: HookSpec = { name: "drain", transition: "terminating", heartbeatTimeout: 600, defaultResult: "ABANDON" };

const members = (bench: Bench) => bench.cloud.group("g")?.Instances ?? [];
const states = (bench: Bench) => members(bench).map((entry) => entry.LifecycleState);
const first = (bench: Bench) => members(bench)[0]?.InstanceId ?? "";
const about = (id: string, hook: string) => ({ AutoScalingGroupName: "g", LifecycleHookName: hook, InstanceId: id });
const complete = (id: string, hook: string, result: string) =>
  new CompleteLifecycleActionCommand({ ...about(id, hook), LifecycleActionResult: result });
const heartbeat = (id: string, hook: string) => new RecordLifecycleActionHeartbeatCommand(about(id, hook));
const end = (id: string) =>
  new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: id, ShouldDecrementDesiredCapacity: true });

describe.each(ways)("Lifecycle hooks through $way", ({ open }) => {
  test(`a launch hook holds the instance until it is completed (${docs.hooks}, ${docs.completeAction})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [launchHook] });
    bench.pass(10);
    expect(states(bench)).toEqual(["Pending"]);
    bench.pass(60);
    expect(states(bench)).toEqual(["Pending:Wait"]);
    await bench.autoScaling.send(complete(first(bench), "join", "CONTINUE"));
    expect(states(bench)).toEqual(["Pending:Proceed"]);
    bench.pass(60);
    expect(states(bench)).toEqual(["InService"]);
  });

  test(`ABANDON on launch ends the instance and the group launches another (${docs.hooks})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [launchHook] });
    bench.pass(60);
    const abandoned = first(bench);
    await bench.autoScaling.send(complete(abandoned, "join", "ABANDON"));
    bench.pass(90);
    expect(bench.cloud.instance(abandoned)?.State?.Name).toBe("terminated");
    expect(states(bench)).toEqual(["Pending:Wait"]);
    expect(first(bench)).not.toBe(abandoned);
  });

  test(`a hook nobody answers ends with its default result (${docs.hooks})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [launchHook] });
    bench.pass(610);
    expect(states(bench)).toEqual(["Pending:Wait"]);
    bench.pass(30);
    expect(states(bench)).toEqual(["InService"]);
    bench.cloud.createGroup("h", { desired: 1, hooks: [{ ...launchHook, defaultResult: "ABANDON" }] });
    bench.pass(60);
    const held = bench.cloud.group("h")?.Instances?.[0]?.InstanceId ?? "";
    bench.pass(600);
    expect(["shutting-down", "terminated"]).toContain(bench.cloud.instance(held)?.State?.Name);
  });

  test(`a heartbeat restarts the timeout, up to 100 timeouts in all (${docs.heartbeat}, ${docs.hooks})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [{ ...launchHook, heartbeatTimeout: 30 }] });
    bench.pass(30);
    for (let beat = 0; beat < 200 && states(bench)[0] === "Pending:Wait"; beat += 1) {
      await bench.autoScaling.send(heartbeat(first(bench), "join"));
      bench.pass(20);
    }
    const waited = (bench.clock.now() - Date.UTC(2026, 0, 5, 9)) / 1000;
    expect(waited).toBeGreaterThan(2900);
    expect(waited).toBeLessThan(3100);
  });

  test(`a termination hook holds the instance, still running, and either result ends it (${docs.hooks})`, async () => {
    for (const result of ["CONTINUE", "ABANDON"]) {
      const bench = await openBench(open);
      bench.cloud.createGroup("g", { desired: 1, hooks: [endHook] });
      bench.pass(60);
      const id = first(bench);
      await bench.autoScaling.send(end(id));
      expect(states(bench)).toEqual(["Terminating:Wait"]);
      bench.pass(500);
      expect(bench.cloud.instance(id)?.State?.Name).toBe("running");
      await bench.autoScaling.send(complete(id, "drain", result));
      expect(states(bench)).toEqual(["Terminating:Proceed"]);
      bench.pass(60);
      expect(members(bench)).toEqual([]);
    }
  });

  test(`two launch hooks are both waited for (${docs.hooks})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [launchHook, { ...launchHook, name: "second" }] });
    bench.pass(60);
    await bench.autoScaling.send(complete(first(bench), "join", "CONTINUE"));
    expect(states(bench)).toEqual(["Pending:Wait"]);
    await bench.autoScaling.send(complete(first(bench), "second", "CONTINUE"));
    expect(states(bench)).toEqual(["Pending:Proceed"]);
  });

  test(`an action that is over or never was is a ValidationError (${docs.completeAction})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [launchHook] });
    bench.pass(60);
    const id = first(bench);
    await bench.autoScaling.send(complete(id, "join", "CONTINUE"));
    for (const call of [complete(id, "join", "CONTINUE"), heartbeat(id, "join"), complete(id, "nobody", "ABANDON")]) {
      const error = await refusal(bench.autoScaling.send(call as never));
      expect(error).toMatchObject({ name: "ValidationError", status: 400 });
      expect(error.message).toContain("No active Lifecycle Action");
    }
    expect(await refusal(bench.autoScaling.send(complete(id, "join", "MAYBE")))).toMatchObject({
      name: "ValidationError",
    });
  });

  test(`hooks show their timeout, their global timeout and their default (${docs.describeHooks})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { hooks: [launchHook, { ...endHook, heartbeatTimeout: 7200 }] });
    const answer = await bench.autoScaling.send(new DescribeLifecycleHooksCommand({ AutoScalingGroupName: "g" }));
    const timeouts = answer.LifecycleHooks?.map((hook) => [
      hook.HeartbeatTimeout,
      hook.GlobalTimeout,
      hook.DefaultResult,
    ]);
    expect(timeouts).toEqual([
      [600, 60_000, "CONTINUE"],
      [7200, 172_800, "ABANDON"],
    ]);
  });

  test(`an instance lost while a termination hook holds it keeps its place until the hook ends (${docs.hooks})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [endHook] });
    bench.pass(60);
    const id = first(bench);
    await bench.autoScaling.send(end(id));
    bench.cloud.terminateByHand(id);
    bench.pass(120);
    expect(states(bench)).toEqual(["Terminating:Wait"]);
    bench.pass(600);
    expect(members(bench)).toEqual([]);
  });

  test(`a lower number that ends an instance goes through the termination hook too (${docs.hooks})`, async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { desired: 1, hooks: [endHook] });
    bench.pass(60);
    await bench.autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: "g", DesiredCapacity: 0 }));
    bench.pass(10);
    expect(states(bench)).toEqual(["Terminating:Wait"]);
  });
});
