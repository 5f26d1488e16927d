import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import type { ZoomiesFleet } from "../../infra/local/fleets.ts";
import { type ApiFaults, apiFaults } from "../../infra/local/zoomies/api/faults.ts";
import { startApiServer } from "../../infra/local/zoomies/api/server.ts";
import { type Controller, zoomiesController } from "../../infra/local/zoomies/controller.ts";
import { post } from "../../infra/local/zoomies/post.ts";
import { startWorld, type TestWorld } from "../world.ts";

const script = fileURLToPath(new URL("../../infra/examples/zoomies/join.py", import.meta.url));
const fleet: ZoomiesFleet = {
  name: "linux",
  pools: ["pool_123"],
  slotsPerHost: 4,
  tags: { "drover:scale-in": "verified", "drover:host-selector/zone": "eu-1" },
  group: { hooks: [{ name: "joined", transition: "launching", heartbeatTimeout: 1_200, defaultResult: "CONTINUE" }] },
};

let world: TestWorld;
let controller: Controller;
let faults: ApiFaults;
let folder: string;
const closing: (() => Promise<unknown>)[] = [];

/** The real functions behind a real HTTP API, a controller with its API, and its two tokens with the scopes of the README. */
beforeEach(async () => {
  // The script signs with the machine's own time.
  const clock = new ManualClock(Date.now());
  faults = apiFaults();
  const api = await startApiServer(
    { route: (request) => controller.api.route(request), answer: (request) => controller.api.answer(request) },
    faults,
  );
  closing.push(api.close);
  const zoomiesApi = { url: api.url, hostsToken: "hosts-token", joinsToken: "joins-token" };
  world = await startWorld({ clock, fleets: [fleet], zoomiesApi });
  closing.push(world.close);
  controller = zoomiesController(
    {
      destinationUrl: `${world.api}/zoomies/capacity`,
      signingSecret: world.secrets.zoomies.value,
      apiTokens: {
        "hosts-token": {
          role: "admin",
          scopes: ["hosts:read", "hosts:cordon", "hosts:delete", "runners:read", "runners:drain", "pools:read"],
        },
        "joins-token": { role: "admin", scopes: ["joins:read", "joins:write"] },
      },
    },
    { clock, random: Math.random, post, wait: async () => undefined },
  );
  controller.addPool({ id: "pool_123", selector: { zone: "eu-1" } });
  folder = await mkdtemp(`${tmpdir()}/drover-hosts-`);
  closing.push(() => rm(folder, { recursive: true }));
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An instance's metadata, with the credentials of its own role. */
async function metadata(instance: string): Promise<string> {
  const { accessKeyId, secretAccessKey, sessionToken } = world.role.credentials(instance);
  const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
  const said: Record<string, string> = {
    "/latest/api/token": "imds-token",
    "/latest/meta-data/placement/region": "eu-west-1",
    "/latest/meta-data/iam/security-credentials/": "zoomies-host",
    "/latest/meta-data/iam/security-credentials/zoomies-host": JSON.stringify(keys),
  };
  const server = createServer((request, response) => response.end(said[request.url ?? ""] ?? ""));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The instance runs its user data, and its agent joins with what came of it. */
async function boot(instance: string): Promise<string> {
  const file = `${folder}/${instance}.env`;
  const imds = await metadata(instance);
  const env = {
    PATH: process.env["PATH"] ?? "",
    AWS_EC2_METADATA_SERVICE_ENDPOINT: imds,
    DROVER_JOIN_PATIENCE_SECONDS: "0",
  };
  const output = await new Promise<string>((resolve) => {
    const url = `${world.api}/zoomies/join`;
    execFile("python3", [script, url, file], { env }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const settings = Object.fromEntries(lines.map((line) => line.split("=", 2) as [string, string]));
  const { ZOOMIES_JOIN_TOKEN: token, ZOOMIES_AGENT_NAME: name = "", ZOOMIES_AGENT_LABELS: labels = "" } = settings;
  if (token !== undefined) {
    const own = Object.fromEntries(labels.split(",").map((pair) => pair.split("=") as [string, string]));
    controller.redeem(token, { name, capacity: 99, labels: own, backend: "docker", os: "linux", arch: "amd64" });
  }
  return output;
}

/** So many minutes: machines end, the scheduler passes six times a minute, Drover runs once. */
async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    for (let pass = 0; pass < 6; pass += 1) {
      world.advance(10_000);
      for (const { name } of [...controller.fleet.hosts.values()]) {
        const state = world.cloud.instance(name)?.State?.Name;
        if (state !== "running" && state !== "pending") controller.endMachine(name);
      }
      controller.pass();
      await controller.delivered();
    }
    expect((await world.reconcile()).outcome).toMatchObject({ kind: "answered" });
  }
}

const members = () =>
  (world.cloud.group("linux")?.Instances ?? []).map(({ InstanceId: id = "", LifecycleState }) => ({
    id,
    state: String(LifecycleState),
  }));

test("a signed demand becomes hosts that join by themselves, run the jobs, and leave when nothing is left to do", async () => {
  controller.queueJobs("pool_123", 7, 5 * 60_000);
  controller.pass();
  await controller.delivered();
  expect(world.group("linux").desired).toBe(2);
  world.advance(30_000);
  expect(members().map(({ state }) => state)).toEqual(["Pending:Wait", "Pending:Wait"]);
  for (const { id } of members()) expect(await boot(id)).toBe(`Token written for ${id}.\n`);
  const joined = [...controller.fleet.hosts.values()].map(({ name, capacity, labels }) => ({ name, capacity, labels }));
  expect(joined).toEqual(members().map(({ id }) => ({ name: id, capacity: 4, labels: { zone: "eu-1" } })));

  await minutes(1);
  world.advance(5_000);
  expect(members().map(({ state }) => state)).toEqual(["InService", "InService"]);
  expect([...controller.fleet.jobs.values()].every(({ startedAt }) => startedAt !== undefined)).toBe(true);
  await minutes(30);
  expect(controller.fleet.jobs.size).toBe(0);
  expect(world.group("linux").desired).toBe(0);
  expect(controller.fleet.hosts.size).toBe(0);
});

test("an instance that asks again before it joined, one that nobody signed for, and one of another group", async () => {
  world.cloud.setDesired("linux", 1);
  world.advance(30_000);
  const [instance] = members();
  const url = `${world.api}/zoomies/join`;
  expect((await fetch(url, { method: "POST" })).status).toBe(403);
  expect(world.invocations).toEqual([]);
  expect(await boot("i-0123456789abcdef0")).toContain("not_in_a_group");
  expect(await boot(instance?.id ?? "")).toContain("Token written");
  expect(await boot(instance?.id ?? "")).toContain("has joined already");
});

test("while Zoomies is down nobody joins, no run is reported as good, and nothing is lost", async () => {
  world.cloud.setDesired("linux", 1);
  world.advance(30_000);
  faults.add({ on: "*", kind: "unreachable" });
  const [instance] = members();
  expect(await boot(instance?.id ?? "")).toContain("zoomies_unreachable");
  expect((await world.reconcile()).outcome).toMatchObject({ kind: "failed" });
  faults.clear();
  world.advance(60_000);
  expect(await boot(instance?.id ?? "")).toContain("Token written");
  expect((await world.reconcile()).outcome).toMatchObject({ kind: "answered" });
  world.advance(10_000);
  expect(members().map(({ state }) => state)).toEqual(["InService"]);
});
