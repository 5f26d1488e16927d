import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { helmr } from "../../infra/helmr-cli/command.ts";
import { ControlPlaneModel } from "../../infra/local/helmr/model/control-plane-model.ts";
import { type ControlPlaneServer, startControlPlane } from "../../infra/local/helmr/server.ts";
import { zoomies } from "../../infra/zoomies-cli/command.ts";
import { startWorld, type TestWorld } from "../world.ts";
import { awsShell } from "./aws-shell.ts";
import { startCloudFormation } from "./cloud-formation.ts";
import { type } from "./command-line.ts";

const token = Buffer.alloc(32, "by-name").toString("base64url");
const template = { cpu_millis: 4_000, memory_bytes: 8e9, disk_bytes: 1e11, vm_slots: 4, platform: "vm" };

let world: TestWorld;
let controlPlane: ControlPlaneServer;
let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;

beforeEach(async () => {
  world = await startWorld({ fleets: [{ name: "linux", pools: ["pool_a"], slotsPerHost: 4 }] });
  const model = new ControlPlaneModel({ clock: world.clock, random: Math.random, token });
  controlPlane = await startControlPlane({ model });
  const group = model.addGroup("default", "local");
  model.addPool(group.id, "large");
  const tags = { "drover:stack": world.stack, "drover:helmr-group": "default", "drover:helmr-pool": "large" };
  world.cloud.createGroup("workers", { minSize: 0, maxSize: 5, desired: 1, newInstancesProtected: true, tags });
  world.advance(120_000);
  const [instance] = world.cloud.group("workers")?.Instances ?? [];
  const host = model.workers.enrol(group.id, "large", instance?.InstanceId ?? "");
  model.workers.activate(host.id, model.workers.authenticate(host.id), template);
  awsShell({ AWS_ENDPOINT_URL: world.aws });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await cloudFormation.close();
  await controlPlane.close();
  await world.close();
});

/** The stack as CloudFormation tells of it; a test changes parameters. */
async function deploy(parameters: Record<string, string> = {}): Promise<void> {
  cloudFormation = await startCloudFormation(
    world.stack,
    { TableName: world.table, HelmrCapacityTokenArn: world.cloud.putSecret("by-name/helmr", token) },
    {
      ...world.deployed.parameters,
      HelmrControlPlaneUrl: controlPlane.url,
      HelmrRegionId: "local",
      ...parameters,
    },
  );
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", cloudFormation.url);
}

const typed = (args: string) => type(helmr, `${args} --stack ${world.stack}`, undefined);
const plans = () => controlPlane.faults.count("plan");

test("npm run helmr finds address, region id, ledger and token by the stack's name alone", async () => {
  await deploy();
  const planned = await typed("plan");
  expect(planned.exit, planned.error + planned.out).toBe(0);
  expect(planned.out).toContain("Worker group default is active");
  expect(plans()).toBe(1);
  expect(await typed("pause --reason rotation")).toMatchObject({ exit: 0 });
  expect((await typed("resume")).out).toContain("planned: 1 pools");
});

test("what is typed goes before what the stack says", async () => {
  await deploy({ HelmrRegionId: "elsewhere" });
  expect(await typed("hosts")).toMatchObject({ exit: 1, out: expect.stringContaining("not_found") });
  expect(await typed("hosts --region-id local")).toMatchObject({ exit: 0 });
});

test("of a stack that observes, no dry run and no resume publishes evidence, unless the stack may", async () => {
  await deploy({ Mode: "observe" });
  expect((await typed("plan")).out).toContain("no plan: the stack only observes");
  await typed("pause");
  expect(await typed("resume")).toMatchObject({ exit: 0, out: expect.stringContaining("no plan was asked for") });
  expect(plans()).toBe(0);
  await cloudFormation.close();
  await deploy({ Mode: "observe", ObserveHelmrPlans: "true" });
  expect((await typed("plan")).out).not.toContain("no plan");
  expect(plans()).toBe(1);
});

test("a stack without Helmr is told as such, and one that is not there with where it was looked for", async () => {
  await deploy({ HelmrControlPlaneUrl: "" });
  expect(await typed("hosts")).toMatchObject({ exit: 1, error: expect.stringContaining("Helmr is off in the stack") });
  expect(await type(helmr, "hosts --stack other", undefined)).toMatchObject({
    exit: 1,
    error: expect.stringContaining("There is no stack other in eu-west-1. Set AWS_REGION"),
  });
});

test("npm run zoomies plans a stack by its name alone, and the local world without one, and changes neither", async () => {
  await deploy();
  await world.send({ pool: "pool_a", capacity: 0, slots: 3 });
  world.cloud.updateGroup("linux", { desired: 0 });
  const before = world.faults.mutations().length;
  for (const [args, running] of [
    [`plan --stack ${world.stack}`, undefined],
    ["plan", world],
  ] as const) {
    const said = await type(zoomies, args, running);
    expect(said).toMatchObject({ exit: 0, error: "" });
    expect(said.out).toContain("linux: desired 0 of 0 to 10, 0 instances");
    const { out } = await type(zoomies, `${args} --json`, running);
    expect(JSON.parse(out)).toMatchObject({ groups: [{ group: "linux", desired: 0, hosts: null }] });
  }
  expect(world.faults.mutations()).toHaveLength(before);
});

test("npm run zoomies says what makes no sense, and that Zoomies is off", async () => {
  await deploy({ Zoomies: "off" });
  expect(await type(zoomies, `plan --stack ${world.stack}`, undefined)).toMatchObject({
    exit: 1,
    error: `Zoomies is off in the stack ${world.stack}.`,
  });
  for (const [args, sentence] of [
    ["", "There is one command: plan."],
    ["apply", "There is one command: plan."],
    ["plan", "Give --stack NAME"],
    ["plan --table x", "Unknown option '--table'"],
  ] as const) {
    const { exit, error } = await type(zoomies, args, undefined);
    expect([exit, error]).toEqual([2, expect.stringContaining(sentence)]);
  }
});
