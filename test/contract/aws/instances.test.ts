import { DescribeInstancesCommand, RunInstancesCommand, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { docs } from "./docs.ts";
import { type Bench, openBench, refusal, ways } from "./ways.ts";

const zoneA = "subnet-00000000000000001";
const zoneB = "subnet-00000000000000002";

async function launch(bench: Bench, subnet = zoneA, count = 1): Promise<string[]> {
  const answer = await bench.ec2.send(
    new RunInstancesCommand({
      ImageId: "ami-0123456789abcdef0",
      InstanceType: "m7i.large",
      SubnetId: subnet,
      MinCount: count,
      MaxCount: count,
      TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "team", Value: "build*er" }] }],
    }),
  );
  return (answer.Instances ?? []).map((entry) => entry.InstanceId ?? "");
}

const end = (...ids: string[]) => new TerminateInstancesCommand({ InstanceIds: ids });
const byId = (...ids: string[]) => new DescribeInstancesCommand({ InstanceIds: ids });
const state = async (bench: Bench, id: string) =>
  (await bench.ec2.send(byId(id))).Reservations?.[0]?.Instances?.[0]?.State?.Name;

describe.each(ways)("EC2 instances through $way", ({ open }) => {
  test(`an ended instance shows for about an hour, then it is not found (${docs.terminateInstances})`, async () => {
    const bench = await openBench(open);
    const [id = ""] = await launch(bench);
    bench.pass(30);
    const answer = await bench.ec2.send(end(id));
    expect(answer.TerminatingInstances).toEqual([
      {
        InstanceId: id,
        PreviousState: { Code: 16, Name: "running" },
        CurrentState: { Code: 32, Name: "shutting-down" },
      },
    ]);
    bench.pass(60);
    expect(await state(bench, id)).toBe("terminated");
    bench.pass(3500);
    expect(await state(bench, id)).toBe("terminated");
    bench.pass(200);
    expect(await refusal(bench.ec2.send(byId(id)))).toMatchObject({ name: "InvalidInstanceID.NotFound", status: 400 });
  });

  test(`ending an instance twice succeeds twice (${docs.terminateInstances})`, async () => {
    const bench = await openBench(open);
    const [id = ""] = await launch(bench);
    await bench.ec2.send(end(id));
    const again = await bench.ec2.send(end(id));
    expect(again.TerminatingInstances?.[0]?.PreviousState?.Name).toBe("shutting-down");
  });

  test(`one unknown id fails the whole batch, in any zone (${docs.terminateInstances})`, async () => {
    const bench = await openBench(open);
    const [id = ""] = await launch(bench);
    const error = await refusal(bench.ec2.send(end(id, "i-0123456789abcdef0")));
    expect(error).toMatchObject({ name: "InvalidInstanceID.NotFound" });
    expect(await refusal(bench.ec2.send(end("host-7")))).toMatchObject({ name: "InvalidInstanceID.Malformed" });
    expect(await state(bench, id)).toBe("pending");
  });

  test(`a protected instance saves its zone's batch; other zones end all the same (${docs.terminateInstances})`, async () => {
    const bench = await openBench(open);
    const [keep = "", beside = ""] = await launch(bench, zoneA, 2);
    const [elsewhere = ""] = await launch(bench, zoneB);
    bench.cloud.protectFromTermination(keep, true);
    const error = await refusal(bench.ec2.send(end(keep, beside, elsewhere)));
    expect(error).toMatchObject({ name: "OperationNotPermitted", status: 400 });
    expect(error.message).toContain(keep);
    expect([await state(bench, keep), await state(bench, beside)]).toEqual(["pending", "pending"]);
    expect(await state(bench, elsewhere)).toBe("shutting-down");
  });

  test(`a shutdown from inside stops or ends the instance as it was launched to, protected or not (${docs.shutdownBehavior}, ${docs.terminationProtection})`, async () => {
    const bench = await openBench(open);
    const [stops = ""] = await launch(bench);
    const ended = await bench.ec2.send(
      new RunInstancesCommand({
        ImageId: "ami-0123456789abcdef0",
        InstanceType: "m7i.large",
        MinCount: 1,
        MaxCount: 1,
        InstanceInitiatedShutdownBehavior: "terminate",
        DisableApiTermination: true,
      }),
    );
    const ends = ended.Instances?.[0]?.InstanceId ?? "";
    bench.pass(30);
    bench.cloud.powerOff(stops);
    bench.cloud.powerOff(ends);
    bench.pass(60);
    expect([await state(bench, stops), await state(bench, ends)]).toEqual(["stopped", "terminated"]);
  });

  test(`filters take wildcards, escaped or not, and all must hold (${docs.filters})`, async () => {
    const bench = await openBench(open);
    const [one = ""] = await launch(bench);
    await launch(bench, zoneB);
    const find = async (...Filters: { Name: string; Values: string[] }[]) => {
      const answer = await bench.ec2.send(new DescribeInstancesCommand({ Filters }));
      return answer.Reservations?.flatMap((entry) => entry.Instances ?? []).length;
    };
    expect(await find({ Name: "tag:team", Values: ["build*"] })).toBe(2);
    expect(await find({ Name: "tag:team", Values: ["build\\*er"] })).toBe(2);
    expect(await find({ Name: "tag:team", Values: ["build\\*"] })).toBe(0);
    expect(await find({ Name: "tag:team", Values: ["Build*"] })).toBe(0);
    expect(await find({ Name: "tag-key", Values: ["te?m"] }, { Name: "subnet-id", Values: [zoneA] })).toBe(1);
    expect(await find({ Name: "instance-state-name", Values: ["pending", "running"] })).toBe(2);
    expect(await find({ Name: "instance-id", Values: [one] })).toBe(1);
    const unknown = bench.ec2.send(new DescribeInstancesCommand({ Filters: [{ Name: "nonsense", Values: ["x"] }] }));
    expect(await refusal(unknown)).toMatchObject({ name: "InvalidParameterValue" });
  });

  test(`more than 1,000 instances come in pages that lose and repeat none (${docs.describeInstances})`, async () => {
    const bench = await openBench(open);
    for (let i = 0; i < 6; i += 1) await launch(bench, zoneA, 200);
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const input = { MaxResults: 1000, ...(token === undefined ? {} : { NextToken: token }) };
      const page = await bench.ec2.send(new DescribeInstancesCommand(input));
      seen.push(
        ...(page.Reservations ?? []).flatMap((entry) => (entry.Instances ?? []).map((one) => one.InstanceId ?? "")),
      );
      token = page.NextToken;
    } while (token !== undefined);
    expect([seen.length, new Set(seen).size]).toEqual([1200, 1200]);
    const both = bench.ec2.send(new DescribeInstancesCommand({ InstanceIds: seen.slice(0, 1), MaxResults: 5 }));
    expect(await refusal(both)).toMatchObject({ name: "InvalidParameterCombination" });
    const few = bench.ec2.send(new DescribeInstancesCommand({ MaxResults: 4 }));
    expect(await refusal(few)).toMatchObject({ name: "InvalidParameterValue" });
  });

  test(`a new instance may be unknown to reads for a while (${docs.eventualConsistency})`, async () => {
    const bench = await openBench(open, { describeLagMs: 5000 });
    bench.pass(60);
    const [id = ""] = await launch(bench);
    expect(await refusal(bench.ec2.send(byId(id)))).toMatchObject({ name: "InvalidInstanceID.NotFound" });
    expect((await bench.ec2.send(new DescribeInstancesCommand({}))).Reservations).toEqual([]);
    bench.pass(6);
    expect(await state(bench, id)).toBe("pending");
    await bench.ec2.send(end(id));
    expect(await state(bench, id)).toBe("pending");
    bench.pass(6);
    expect(await state(bench, id)).toBe("shutting-down");
  });
});
