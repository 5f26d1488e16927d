import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../../infra/cli/run-command.ts";
import { helmr } from "../../infra/helmr-cli/command.ts";
import { ControlPlaneModel } from "../../infra/local/helmr/model/control-plane-model.ts";
import { type ControlPlaneServer, startControlPlane } from "../../infra/local/helmr/server.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import { startWorld, type TestWorld } from "../world.ts";

const token = Buffer.alloc(32, "plan").toString("base64url");
const template = { cpu_millis: 4_000, memory_bytes: 8e9, disk_bytes: 1e11, vm_slots: 4, platform: "vm" };
const need = { cpu_millis: 4_000, memory_bytes: 8e9, disk_bytes: 1e10, vm_slots: 4 };

let world: TestWorld;
let model: ControlPlaneModel;
let server: ControlPlaneServer;
let groupId: string;

beforeEach(async () => {
  world = await startWorld({ fleets: [] });
  let seed = 3;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  model = new ControlPlaneModel({ clock: world.clock, random, token });
  server = await startControlPlane({ model });
  groupId = model.addGroup("default", "local").id;
  model.addPool(groupId, "large");
});
afterEach(async () => {
  await server.close();
  await world.close();
});

/** A group whose instances are in service, their ids. */
function supply(name: string, more: Record<string, string> = {}, spec: Record<string, unknown> = {}): string[] {
  const place = { "drover:helmr-group": "default", "drover:helmr-pool": "large" };
  const tags = { "drover:stack": world.stack, ...place, ...more };
  const suspended = ["AZRebalance"];
  world.cloud.createGroup(name, {
    minSize: 0,
    maxSize: 5,
    desired: 2,
    newInstancesProtected: true,
    suspended,
    ...spec,
    tags,
  });
  world.advance(120_000);
  return (world.cloud.group(name)?.Instances ?? []).map(({ InstanceId = "" }) => InstanceId);
}

function activate(resource: string) {
  const host = model.workers.enrol(groupId, "large", resource);
  model.workers.activate(host.id, model.workers.authenticate(host.id), template);
  return host;
}

async function run(text: string) {
  const printed: string[] = [];
  const code = await runCommand(helmr, text.split(" "), {
    variables: {},
    world: () => ({
      api: world.api,
      aws: world.aws,
      dynamodb: world.dynamodb,
      table: world.table,
      stack: world.stack,
      controlPlane: server.url,
      helmrRegionId: "local",
      secrets: { zoomies: "", kici: "", helmr: token },
      fleets: [],
      scaler: "",
      zoomiesApi: { url: "http://127.0.0.1:9", hostsToken: "", joinsToken: "" },
    }),
    print: (line) => printed.push(line),
    printError: (line) => printed.push(line),
  });
  return { code, said: printed.join("\n") };
}

async function planned(text = "plan --json") {
  const { code, said } = await run(text);
  expect(code, said).toBe(0);
  return JSON.parse(said);
}

/** Everything that a dry run could have changed. */
async function everything() {
  const client = new DynamoDBClient({
    endpoint: world.dynamodb,
    region: "eu-west-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const { Items } = await client.send(new ScanCommand({ TableName: world.table }));
  client.destroy();
  const pools = [...(model.region.groups.get(groupId)?.pools.values() ?? [])];
  const hosts = pools.flatMap((pool) =>
    [...pool.hosts].map(({ id, status, claimVersion }) => [id, status, claimVersion]),
  );
  return { Items, hosts, group: world.group("helmr-large") };
}

const reads = [
  "resolveGroup",
  "resolvePool",
  "plan",
  "resourcePolicy",
  "pendingScaleIn",
  "scaleInReceipt",
  "deployment",
  "hosts",
  "host",
];
const asked = () => [...new Set(server.faults.calls.map(({ operation }) => operation as string))];

test("a raise is shown with what it is made of, and not made", async () => {
  const ids = supply("helmr-large");
  ids.forEach(activate);
  for (const id of ["a", "b", "c"]) model.demand.enqueue(groupId, { id, kind: "fresh", queuedAt: 0, ...need });
  const before = await everything();
  const { code, said } = await run("plan");
  expect(code).toBe(0);
  expect(said).toMatch(/helmr-large: raise desired capacity from 2 to 3: 1 recommended, 0 in flight/);
  expect(said).toContain("large: complete and stable");
  expect(said).toContain("The look is whole.");
  expect(await everything()).toEqual(before);
  expect(asked().filter((operation) => !reads.includes(operation))).toEqual([]);
  expect(server.faults.count("plan")).toBe(1);
});

test("the observation, the plan and every reason against more are there for programs", async () => {
  const [first = "", second = ""] = supply("helmr-large");
  activate(first);
  model.workers.enrol(groupId, "large", second);
  const view = await planned();
  expect(view).toMatchObject({
    worker_group: { name: "default", status: "active" },
    paused: null,
    advisory: [],
    pools: [
      {
        pool: "large",
        group: "helmr-large",
        registering: 1,
        in_flight: 1,
        headroom: 4,
        unsettled: [],
        count: { active: 1, stuck: 0, foreign: 0, draining: 0, terminating: 0, unusable: 0 },
      },
    ],
    plan: { complete: true, pools: [{ pool_name: "large", active_workers: 1, registering_workers: 1 }] },
    would: [],
    notes: [],
  });
  expect(view.wouldNot).toContainEqual({ subject: "helmr-large", text: "not raised: no hosts are recommended" });
  expect(view.wouldNot).toContainEqual({ subject: "drain", text: "none begins: a host is registering" });
});

test("with --no-plan nothing is published", async () => {
  supply("helmr-large").forEach(activate);
  const view = await planned("plan --no-plan --json");
  expect(view).toMatchObject({ plan: null, advisory: ["no plan was asked for"], pools: [{ headroom: 3 }] });
  expect(server.faults.count("plan")).toBe(0);
});

test("while the group is paused no plan is asked for, and nothing would be done", async () => {
  const [first = ""] = supply("helmr-large");
  const host = activate(first);
  await run(`drain ${first} --reason replacement`);
  model.workers.completeDrain(host.id, 1, 2);
  await run("pause --reason rotation");
  const view = await planned();
  expect(view).toMatchObject({ paused: "rotation", would: [], plan: null });
  expect(view.wouldNot[0].text).toMatch(/^paused by an operator, else: terminate it in helmr-large without decrement/);
  expect(server.faults.count("plan")).toBe(0);
});

test("the end of a drained host is shown with its proof, or with what is missing of it", async () => {
  const [first = "", second = ""] = supply("helmr-large");
  activate(second);
  const host = activate(first);
  await run(`drain ${first} --reason capacity_reduction`);
  model.workers.completeDrain(host.id, 1, 2);
  const before = await everything();
  expect((await planned()).would).toEqual([
    { subject: first, text: "terminate it in helmr-large with decrement: its host is termination_ready" },
  ]);
  expect(await everything()).toEqual(before);

  world.cloud.updateGroup("helmr-large", { suspended: [] });
  const view = await planned();
  expect(view.would).toEqual([]);
  expect(view.wouldNot).toContainEqual({
    subject: first,
    text: "not ended, proof missing: az_rebalance_active",
  });
  expect(view.findings).toContainEqual(
    expect.objectContaining({ code: "az_rebalance_active", resource: "helmr-large" }),
  );
});

test("an operation that the ledger does not know is followed without being taken into it", async () => {
  supply("helmr-large").forEach(activate);
  const pool = [...(model.region.groups.get(groupId)?.pools.values() ?? [])][0];
  await planned();
  const client = httpControlPlane({ baseUrl: server.url, token: async () => token });
  await client.scaleIn(groupId, pool?.id ?? "", "019876aa-0000-7000-8000-0000000000aa");
  client.close();
  const before = await everything();
  const view = await planned();
  expect(view.wouldNot).toContainEqual({
    subject: "operation 019876aa-0000-7000-8000-0000000000aa",
    text: "waits: the host is draining",
  });
  expect(view.notes).toEqual([expect.stringContaining("operation adopted")]);
  expect(await everything()).toEqual(before);
});

test("a declared policy that differs would be replaced, and is not", async () => {
  const fields = ["cpu_millis", "memory_bytes", "disk_bytes", "vm_slots", "max_tasks", "io_bytes_per_second"];
  const policy = Object.fromEntries(
    [...fields, "local_headroom_slots"].map((name) => [`drover:helmr-policy/${name}`, "1"]),
  );
  supply("helmr-large", { ...policy, "drover:helmr-primary": "2" }).forEach(activate);
  expect((await planned()).would).toContainEqual({
    subject: "large",
    text: "replace its resource policy at revision 1",
  });
  expect(asked().filter((operation) => !reads.includes(operation))).toEqual([]);
});

test("a group that names a pool and no Worker group is a finding, and no Worker group by itself", async () => {
  supply("helmr-large").forEach(activate);
  const tags = { "drover:stack": world.stack, "drover:helmr-pool": "small" };
  world.cloud.createGroup("helmr-small", { minSize: 0, maxSize: 5, newInstancesProtected: true, tags });
  const view = await planned();
  expect(view.findings).toEqual([
    expect.objectContaining({ code: "missing_tag", resource: "helmr-small", tag: "drover:helmr-group" }),
  ]);
});

test("a plan that Helmr refuses leaves the observation, and says what was not read", async () => {
  supply("helmr-large").forEach(activate);
  server.faults.add({ kind: "error", status: 409, code: "execution_capacity_unavailable", on: "plan" });
  const view = await planned();
  expect(view).toMatchObject({ plan: null, advisory: ["the plan failed"], pools: [{ headroom: 3 }] });
  expect(view.notes[0]).toContain("no plan");
});

test("--help says that a plan publishes evidence", async () => {
  expect((await run("--help")).said).toMatch(/plan \[--no-plan\][\s\S]*publishes evidence/);
});
