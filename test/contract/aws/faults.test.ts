import { DescribeAutoScalingGroupsCommand, SetDesiredCapacityCommand } from "@aws-sdk/client-auto-scaling";
import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { type Bench, openBench, refusal, ways } from "./ways.ts";

const set = (desired: number) => new SetDesiredCapacityCommand({ AutoScalingGroupName: "g", DesiredCapacity: desired });
const read = () => new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ["g"] });
const desired = (bench: Bench) => bench.cloud.group("g")?.DesiredCapacity;
const setting = "auto-scaling:SetDesiredCapacity";

describe.each(ways)("Faults on demand through $way", ({ open }) => {
  test(`each service throttles with its own code (${docs.commonErrors}, ${docs.throttling})`, async () => {
    const { autoScaling, ec2, secrets, faults } = await openBench(open);
    faults.add({ on: "*", kind: "throttle" });
    expect(await refusal(autoScaling.send(read()))).toMatchObject({ name: "Throttling", status: 400 });
    expect(await refusal(ec2.send(new DescribeInstancesCommand({})))).toMatchObject({
      name: "RequestLimitExceeded",
      status: 503,
    });
    const secret = secrets.send(new GetSecretValueCommand({ SecretId: "s" }));
    expect(await refusal(secret)).toMatchObject({ name: "ThrottlingException", status: 400 });
  });

  test("the n-th call, the next few, or every call is hit; a predicate narrows further", async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g");
    bench.faults.add({ on: setting, at: { nth: 2 }, kind: "error", code: "InternalFailure", httpStatus: 500 });
    await bench.autoScaling.send(set(1));
    expect(await refusal(bench.autoScaling.send(set(2)))).toMatchObject({ name: "InternalFailure", status: 500 });
    await bench.autoScaling.send(set(3));
    bench.faults.clear();
    bench.faults.add({ on: setting, at: { next: 2 }, kind: "throttle" });
    await refusal(bench.autoScaling.send(set(4)));
    await refusal(bench.autoScaling.send(set(4)));
    await bench.autoScaling.send(set(4));
    bench.faults.clear();
    const where = (input: { DesiredCapacity?: number }) => input.DesiredCapacity === 6;
    const remove = bench.faults.add({ on: "auto-scaling:*", where, kind: "throttle" });
    await bench.autoScaling.send(set(5));
    await refusal(bench.autoScaling.send(set(6)));
    remove();
    await bench.autoScaling.send(set(6));
  });

  test("a lost reply leaves the effect, a reset does not", async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g");
    bench.faults.add({ on: setting, at: { nth: 1 }, kind: "reply-lost" });
    await expect(bench.autoScaling.send(set(1))).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(desired(bench)).toBe(1);
    bench.faults.add({ on: setting, at: { nth: 1 }, kind: "reset" });
    await expect(bench.autoScaling.send(set(2))).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(desired(bench)).toBe(1);
  });

  test("a killed caller has no effect any more, until the faults are cleared", async () => {
    for (const moment of ["before", "after"] as const) {
      const bench = await openBench(open);
      bench.cloud.createGroup("g");
      bench.faults.add({ on: setting, caller: "AKIATESTCALLER", kind: "kill", moment });
      await expect(bench.autoScaling.send(set(1))).rejects.toThrow();
      expect(desired(bench)).toBe(moment === "after" ? 1 : 0);
      expect(bench.faults.isDead("AKIATESTCALLER")).toBe(true);
      await expect(bench.autoScaling.send(set(2))).rejects.toThrow();
      expect(desired(bench)).toBe(moment === "after" ? 1 : 0);
      bench.faults.clear();
      await bench.autoScaling.send(set(2));
      expect(desired(bench)).toBe(2);
    }
  });

  test("another caller is not hit by a rule that names one", async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g");
    bench.faults.add({ on: "*", caller: "AKIASOMEONEELSE", kind: "throttle" });
    await bench.autoScaling.send(set(1));
  });

  test("the log tells who did what and how it ended, without any secret", async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g", { maxSize: 1 });
    bench.cloud.putSecret("s", "hush-hush-1");
    await bench.autoScaling.send(read());
    await refusal(bench.autoScaling.send(set(2)));
    await bench.autoScaling.send(set(1));
    await bench.secrets.send(new PutSecretValueCommand({ SecretId: "s", SecretString: "hush-hush-2" }));
    await bench.secrets.send(new GetSecretValueCommand({ SecretId: "s" }));
    expect(bench.faults.calls.map((call) => `${call.service}:${call.operation} ${call.outcome}`)).toEqual([
      "auto-scaling:DescribeAutoScalingGroups ok",
      "auto-scaling:SetDesiredCapacity ValidationError",
      "auto-scaling:SetDesiredCapacity ok",
      "secretsmanager:PutSecretValue ok",
      "secretsmanager:GetSecretValue ok",
    ]);
    expect(bench.faults.calls[1]).toMatchObject({
      caller: "AKIATESTCALLER",
      at: bench.clock.now(),
      input: { AutoScalingGroupName: "g", DesiredCapacity: 2 },
    });
    expect(JSON.stringify(bench.faults.calls)).not.toContain("hush-hush");
    expect(bench.faults.count(setting)).toBe(2);
    expect(bench.faults.mutations()).toHaveLength(3);
    bench.faults.reset();
    expect(bench.faults.calls).toEqual([]);
  });

  test("the log tells which call met which fault, and a fault that no call can meet is an error", async () => {
    const bench = await openBench(open);
    bench.cloud.createGroup("g");
    bench.faults.add({ on: setting, at: { nth: 2 }, kind: "throttle" });
    await bench.autoScaling.send(set(1));
    await refusal(bench.autoScaling.send(set(2)));
    expect(bench.faults.calls.map((call) => call.fault)).toEqual([undefined, "throttle"]);
    expect(() => bench.faults.add({ on: "autoscaling:SetDesiredCapacity", kind: "throttle" })).toThrow(TypeError);
  });
});
