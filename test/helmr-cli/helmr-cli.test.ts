import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type CommandParts, runCommand } from "../../infra/cli/run-command.ts";
import { helmr } from "../../infra/helmr-cli/command.ts";
import { ControlPlaneModel } from "../../infra/local/helmr/model/control-plane-model.ts";
import type { Host } from "../../infra/local/helmr/model/state.ts";
import { type ControlPlaneServer, startControlPlane } from "../../infra/local/helmr/server.ts";
import type { WorldFile } from "../../infra/local/world-file.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import { startWorld, type TestWorld } from "../world.ts";

const token = Buffer.alloc(32, "cli").toString("base64url");
const template = { cpu_millis: 4_000, memory_bytes: 8e9, disk_bytes: 1e11, vm_slots: 4, platform: "vm" };
const folder = mkdtempSync(`${tmpdir()}/drover-helmr-`);

let world: TestWorld;
let model: ControlPlaneModel;
let server: ControlPlaneServer;
let groupId: string;
let printed: string[] = [];

beforeAll(async () => {
  world = await startWorld({ fleets: [] });
  const tags = { "drover:stack": world.stack, "drover:helmr-group": "default", "drover:helmr-pool": "large" };
  world.cloud.createGroup("helmr-large", { minSize: 0, maxSize: 5, desired: 2, newInstancesProtected: true, tags });
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
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
  // Whatever was asked and answered, the token is nowhere in it.
  expect(printed.join("\n")).not.toContain(token);
  printed = [];
});

const local = (): WorldFile => ({
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
});

async function run(text: string, parts: Partial<CommandParts> = {}) {
  printed = [];
  const code = await runCommand(helmr, text.split(" ").filter(Boolean), {
    variables: {},
    world: local,
    print: (line) => printed.push(line),
    printError: (line) => printed.push(line),
    ...parts,
  });
  return { code, said: printed.join("\n") };
}

function addActive(pool: string, resource: string): Host {
  const host = model.workers.enrol(groupId, pool, resource);
  model.workers.activate(host.id, model.workers.authenticate(host.id), template);
  return host;
}

test("the deployment is shown as text, or as JSON for programs", async () => {
  expect((await run("deployment")).said).toContain("worker revision         1");
  const { code, said } = await run("deployment --json");
  expect(code).toBe(0);
  expect(JSON.parse(said)).toMatchObject({ worker_revision: 1, schema_dirty: false });
});

test("hosts are listed by group and pool, ended ones only when asked for", async () => {
  addActive("large", "i-0aaaaaaa");
  const gone = addActive("large", "i-0bbbbbbb");
  await run("drain i-0bbbbbbb --reason replacement");
  expect((await run("hosts --pool large")).said).toMatch(/i-0bbbbbbb +draining \(replacement\)/);
  model.workers.completeDrain(gone.id, 1, 2);
  const live = await run("hosts");
  expect(live.said).toContain("1 hosts, ended ones left out");
  expect(live.said).not.toContain("i-0bbbbbbb");
  expect((await run("hosts --all")).said).toContain("termination_ready");
});

test("a drain carries the fence just read, and a second one changes nothing", async () => {
  addActive("large", "i-0aaaaaaa");
  expect(await run("drain i-0aaaaaaa --reason capacity_reduction")).toMatchObject({ code: 0 });
  const again = await run("drain i-0aaaaaaa --reason replacement");
  expect(again).toMatchObject({ code: 0 });
  expect(again.said).toContain("is draining, reason capacity_reduction");
  expect(server.faults.count("drain")).toBe(1);
});

test("a drain whose fence went stale is not repeated: the host is read again and shown", async () => {
  const host = addActive("large", "i-0aaaaaaa");
  server.faults.add({ kind: "error", status: 409, code: "conflict", on: "drain" });
  const { code, said } = await run(`drain ${host.id} --reason replacement`);
  expect(code).toBe(1);
  expect(said).toMatch(/Refused, nothing was done[\s\S]*Read again just now: host .* is active/);
  expect(server.faults.count("drain")).toBe(1);
});

test("a drain whose reply was lost is shown as it stands now", async () => {
  const host = addActive("large", "i-0aaaaaaa");
  server.faults.add({ kind: "reply-lost", on: "drain" });
  const { code, said } = await run(`drain ${host.id} --reason replacement`);
  expect(code).toBe(1);
  expect(said).toMatch(/may have been done or not[\s\S]*is draining, reason replacement/);
  expect(server.faults.count("drain")).toBe(1);
});

test("a registering host is not drained", async () => {
  model.workers.enrol(groupId, "large", "i-0aaaaaaa");
  const { code, said } = await run("drain i-0aaaaaaa --reason replacement");
  expect([code, said]).toEqual([1, expect.stringContaining("Only an active host can be drained")]);
  expect(server.faults.count("drain")).toBe(0);
});

test("pools are created and disabled under their claims, with a word on what the profiles prove", async () => {
  expect((await run("pools create small")).said).toContain("pool small");
  const { code, said } = await run("pools disable small");
  expect(code).toBe(0);
  expect(said).toContain("Retained profiles of the group default: 0");
  expect(said).toContain("is disabled");
  const again = await run("pools create small");
  expect(again.code).toBe(1);
  expect(again.said).toMatch(/Refused, nothing was done[\s\S]*pool small .* is disabled/);
});

test("a truncated list of profiles is called no proof before the pool is disabled", async () => {
  model.addPool(groupId, "small");
  const incomplete = (answer: unknown) => ({
    ...(answer as object),
    retained_profiles: { profiles: [{ profile: "p1" }], complete: false },
  });
  server.faults.add({ kind: "odd", change: incomplete, on: "resolvePool" });
  const { said } = await run("pools disable small");
  expect(said).toContain('  {"profile":"p1"}');
  expect(said).toContain("this list proves nothing about whether retirement is safe");
});

test("the primary pool is set when enough hosts are ready, and the refusal says what is there", async () => {
  addActive("large", "i-0aaaaaaa");
  model.addPool(groupId, "small");
  addActive("small", "i-0bbbbbbb");
  const refused = await run("primary set small --minimum 2");
  expect(refused.code).toBe(1);
  expect(refused.said).toContain("insufficient_ready_hosts");
  expect((await run("primary set small --minimum 1")).said).toContain("Pool small is the primary pool of default now");
  expect((await run("primary set small --minimum 1")).said).toContain("was the primary pool already");
});

test("operations show what is unsettled, or one receipt by its key", async () => {
  expect((await run("operations")).said).toBe("default has no unsettled scale-in operation.");
  addActive("large", "i-0aaaaaaa");
  const { pools } = model.region.groups.get(groupId) ?? {};
  const [pool] = [...(pools?.values() ?? [])];
  const key = "019876aa-0000-7000-8000-0000000000aa";
  const client = httpControlPlane({ baseUrl: server.url, token: async () => token });
  await client.scaleIn(groupId, pool?.id ?? "", key);
  client.close();
  expect((await run("operations")).said).toContain(`operation ${key} is draining`);
  expect(JSON.parse((await run(`operations ${key} --json`)).said)).toMatchObject({ receipt: { operation_key: key } });
  expect(await run("operations 019876aa-0000-7000-8000-0000000000bb")).toMatchObject({ code: 1 });
});

test("a policy is shown with its revision", async () => {
  const { said } = await run("policy show large");
  expect(said).toContain("pool large, revision 1");
  expect(said).toContain("local_headroom_slots 0");
});

test("a pause is lifted only after the group was resolved and planned with the present token", async () => {
  addActive("large", "i-0aaaaaaa");
  expect((await run("pause --reason rotation")).said).toContain("default is paused");
  model.credential.rotate(Buffer.alloc(32, "next").toString("base64url"));
  const early = await run("resume");
  expect(early.code).toBe(1);
  expect(early.said).toContain("401");
  expect(server.faults.count("plan")).toBe(0);

  model.credential.rotate(token);
  const { code, said } = await run("resume");
  expect(code).toBe(0);
  expect(said).toContain("planned: 1 pools");
  expect(said).toContain("default is resumed");
  expect(server.faults.calls.find(({ operation }) => operation === "plan")?.body).toMatchObject({
    pools: [{ max_additional_workers: 5, active_workers: 1, registering_workers: 0 }],
  });
});

test("a pause stays when no plan can be read", async () => {
  addActive("large", "i-0aaaaaaa");
  await run("pause");
  server.faults.add({ kind: "error", status: 409, code: "execution_capacity_unavailable", on: "plan" });
  const { code, said } = await run("resume");
  expect(code).toBe(1);
  expect(said).toContain("default stays paused");
  expect(server.faults.count("resolveGroup")).toBe(3);
});

test("a real stack is reached by flags alone, and the local world is left out of it", async () => {
  const file = `${folder}/token`;
  writeFileSync(file, `${token}\n`);
  const away = { world: () => undefined };
  const flags = `--url ${server.url} --region-id local --group default`;
  expect(await run(`operations ${flags} --token-file ${file}`, away)).toMatchObject({ code: 0 });
  expect(await run(`operations ${flags}`, { ...away, variables: { DROVER_HELMR_TOKEN: token } })).toMatchObject({
    code: 0,
  });
  const wrong = await run(`operations ${flags}`);
  expect([wrong.code, wrong.said]).toEqual([2, expect.stringContaining("--secret or --token-file")]);
  const noTable = await run(`pause ${flags} --token-file ${file}`, away);
  expect([noTable.code, noTable.said]).toEqual([2, expect.stringContaining("--table")]);
});

test("a malformed token is refused before anything is sent, and not shown", async () => {
  const variables = { DROVER_HELMR_TOKEN: `${token}=` };
  const { code, said } = await run(`deployment --url ${server.url}`, { variables });
  expect([code, said]).toEqual([1, expect.stringContaining("openssl rand")]);
  expect(server.faults.calls).toEqual([]);
});

test("a refused token says what to look at", async () => {
  const variables = { DROVER_HELMR_TOKEN: Buffer.alloc(32, "old").toString("base64url") };
  const { code, said } = await run(`deployment --url ${server.url} --json`, { variables });
  expect(code).toBe(1);
  expect(JSON.parse(said)).toMatchObject({ error: "unauthorized" });
});

test.each([
  ["", "Say what to do: deployment, hosts, drain, "],
  ["launch", "Say what to do: deployment, hosts, drain, "],
  ["drain", "HOST is missing."],
  ["drain i-0aaaaaaa", "--reason must be one of: replacement, capacity_reduction."],
  ["drain i-0aaaaaaa --reason idle_scale_in", "--reason must be one of"],
  ["drain web-1 --reason replacement", "HOST must be"],
  ["primary set large", "--minimum N"],
  ["primary set large --minimum 0", "--minimum N"],
  ["hosts --token abc", "Unknown option"],
  ["hosts --minimum 1", "--minimum is no option of this command."],
  ["deployment now", "Nothing is expected at"],
  ["operations --group", "argument missing"],
])("%j makes no sense, and the message says why", async (text, message) => {
  const { code, said } = await run(text);
  expect([code, said]).toEqual([2, expect.stringContaining(message)]);
  expect(server.faults.calls.filter(({ operation }) => operation !== "hosts")).toEqual([]);
});
