import { afterEach, expect, test } from "vitest";
import { localSubnets } from "../../infra/local/scalers.ts";
import { type KiciWorld, scaler, startKici } from "./kici-world.ts";

let world: KiciWorld;
afterEach(() => world.close());

let agents = 0;
const another = () => world.scaleUp({ agentId: `agent-${agents++}` });

/** What RunInstances was asked for, call by call. */
const asked = () =>
  world.faults.calls
    .filter(({ operation }) => operation === "RunInstances")
    .map(({ input }) => input as { InstanceType: string; SubnetId: string; ClientToken: string })
    .map(({ InstanceType, SubnetId }) => `${InstanceType} ${localSubnets.indexOf(SubnetId as never) + 1}`);
const metric = (name: string) => world.lines.filter((line) => line.includes(`"${name}":1`)).length;

test("a type without capacity in both subnets is passed over, and not asked again for three minutes", async () => {
  world = await startKici();
  for (const zone of ["eu-west-1a", "eu-west-1b"]) world.cloud.setCapacity("m7i.large", zone, "none");
  expect((await world.up(another())).status).toBe(201);
  expect(asked()).toEqual(["m7i.large 1", "m7i.large 2", "c7i.xlarge 1"]);

  // A new environment knows it too.
  world.functions.restart();
  world.faults.reset();
  world.advance(179_000);
  expect((await world.up(another())).status).toBe(201);
  expect(asked()).toEqual(["c7i.xlarge 1"]);

  world.faults.reset();
  world.advance(2_000);
  expect((await world.up(another())).status).toBe(201);
  expect(asked()).toEqual(["m7i.large 1", "m7i.large 2", "c7i.xlarge 1"]);
});

test("while every offering cools off nothing is asked, and the answer says when to come back", async () => {
  world = await startKici();
  world.cloud.setCapacity("*", "*", "none");
  const code = "InsufficientInstanceCapacity";
  expect(await world.up(another())).toMatchObject({ status: 503, answer: { code } });
  expect(asked()).toHaveLength(4);
  world.faults.reset();
  world.advance(100_000);
  expect(await world.up(another())).toMatchObject({ status: 503, answer: { code }, retryAfter: 80 });
  expect(asked()).toEqual([]);
});

test("a subnet without addresses cools off for every type, and other subnets do not", async () => {
  world = await startKici();
  world.cloud.setFreeAddresses(localSubnets[0], 0);
  expect((await world.up(another())).status).toBe(201);
  expect(asked()).toEqual(["m7i.large 1", "m7i.large 2"]);
  world.faults.reset();
  world.cloud.setCapacity("m7i.large", "*", "none");
  expect((await world.up(another())).status).toBe(201);
  // c7i.xlarge in the first subnet is left out though it never failed itself.
  expect(asked()).toEqual(["m7i.large 2", "c7i.xlarge 2"]);
});

test("within one walk, too, a subnet that has no addresses is asked once", async () => {
  world = await startKici();
  world.cloud.setFreeAddresses(localSubnets[0], 0);
  world.cloud.setCapacity("m7i.large", "*", "none");
  expect((await world.up(another())).status).toBe(201);
  expect(asked()).toEqual(["m7i.large 1", "m7i.large 2", "c7i.xlarge 2"]);
});

test("a quota of one type's family is no lack of capacity: other types are tried, and nothing cools off", async () => {
  world = await startKici();
  world.cloud.setCapacity("m7i.large", "*", { code: "VcpuLimitExceeded" });
  expect((await world.up(another())).status).toBe(201);
  expect((await world.up(another())).status).toBe(201);
  expect(asked()).toEqual(["m7i.large 1", "c7i.xlarge 1", "m7i.large 1", "c7i.xlarge 1"]);
});

test("the account's Spot limit stops the walk, and nothing cools off", async () => {
  world = await startKici();
  world.cloud.setCapacity("*", "*", { code: "MaxSpotInstanceCountExceeded" });
  const reply = await world.up(another());
  expect(reply).toMatchObject({ status: 503, answer: { code: "MaxSpotInstanceCountExceeded" } });
  world.cloud.setCapacity("*", "*", undefined);
  expect((await world.up(another())).status).toBe(201);
  expect(asked()).toEqual(["m7i.large 1", "m7i.large 1"]);
});

test.each(["UnauthorizedOperation", "InvalidParameterValue", "InvalidSecurityGroupID.NotFound"])(
  "%s stops at once, and a person hears of it",
  async (code) => {
    world = await startKici();
    world.faults.add({ on: "ec2:RunInstances", kind: "error", code });
    expect(await world.up(another())).toMatchObject({ status: 503, answer: { code } });
    expect(asked()).toHaveLength(1);
    expect(metric("ConfigError")).toBeGreaterThan(0);
    expect(world.launches()).toBe(0);
  },
);

test("what a job needs narrows the types, in the order of the tags", async () => {
  world = await startKici({ name: scaler, instanceTypes: ["t3.micro", "m7i.large", "c7i.xlarge", "m7i.4xlarge"] });
  const types = async (resources: object) => {
    world.faults.reset();
    expect((await world.up({ ...another(), resources })).status).toBe(201);
    return asked();
  };
  expect(await types({})).toEqual(["t3.micro 1"]);
  expect(await types({ cpus: 1.5 })).toEqual(["t3.micro 1"]);
  expect(await types({ memBytes: 8 * 1024 ** 3 })).toEqual(["m7i.large 1"]);
  expect(await types({ cpus: 4 })).toEqual(["c7i.xlarge 1"]);
  expect(await types({ cpus: 2.5, memBytes: 32 * 1024 ** 3 })).toEqual(["m7i.4xlarge 1"]);
});

test("every offering of a walk has a token of its own, 64 hex digits, and a repeat has the same", async () => {
  world = await startKici();
  world.cloud.setCapacity("m7i.large", "*", "none");
  world.faults.add({ on: "ec2:RunInstances", kind: "reply-lost", at: { nth: 3 } });
  expect((await world.up(another())).status).toBe(201);
  const tokens = world.faults.calls
    .filter(({ operation }) => operation === "RunInstances")
    .map(({ input }) => (input as { ClientToken: string }).ClientToken);
  expect(asked()).toEqual(["m7i.large 1", "m7i.large 2", "c7i.xlarge 1", "c7i.xlarge 1"]);
  for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(tokens).size).toBe(3);
  expect(tokens[2]).toBe(tokens[3]);
  expect(world.launches()).toBe(1);
});

/** Lets a call of the named operation take some of the world's time. */
function takes(on: string, ms: number): void {
  world.faults.add({
    on,
    kind: "throttle",
    where() {
      world.clock.set(world.clock.now() + ms);
      return false;
    },
  });
}

test("after 8 s no further offering is tried, and the answer says when to come back", async () => {
  world = await startKici();
  world.cloud.setCapacity("*", "*", "none");
  takes("ec2:RunInstances", 3_000);
  expect(await world.up(another())).toMatchObject({ status: 503, retryAfter: 20 });
  expect(asked()).toHaveLength(3);
});

test("what was spent before the first offering counts too", async () => {
  world = await startKici();
  takes("ec2:DescribeLaunchTemplates", 8_000);
  const payload = another();
  expect(await world.up(payload)).toMatchObject({ status: 503, retryAfter: 5 });
  expect(asked()).toEqual([]);
  world.faults.clear();
  expect((await world.up(payload)).status).toBe(201);
});

test("a repeat that finds no capacity proves nothing while the first call may be on its way, and later it does", async () => {
  world = await startKici();
  world.cloud.setCapacity("m7i.large", "*", "none");
  world.faults.add({ on: "ec2:RunInstances", kind: "reset", at: { nth: 1 } });
  const payload = another();
  const code = "InsufficientInstanceCapacity";
  expect(await world.up(payload)).toMatchObject({ status: 503, answer: { code }, retryAfter: 5 });
  world.advance(10_000);
  expect(await world.up(payload)).toMatchObject({ status: 503, answer: { code } });
  expect(asked()).toEqual(["m7i.large 1", "m7i.large 1", "m7i.large 1"]);
  world.advance(6_000);
  expect((await world.up(payload)).status).toBe(201);
  expect(asked().slice(3)).toEqual(["m7i.large 1", "m7i.large 2", "c7i.xlarge 1"]);
});
