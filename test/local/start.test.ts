import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readWorldFile } from "../../infra/local/world-file.ts";

const script = (name: string) => fileURLToPath(new URL(`../../infra/local/${name}.ts`, import.meta.url));
let folder: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/drover-start-`);
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  rmSync(folder, { recursive: true });
});

/** A command of ours as a process of its own, with all it printed and its exit code. */
function launch(name: string, args: string[], variables: Record<string, string> = {}) {
  const env = { ...process.env, DROVER_PORT: "0", DROVER_LOCAL_DIR: folder, ...variables };
  const child = spawn(process.execPath, [script(name), ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let output = "";
  let look = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      look();
    });
  }
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      look = () => output.includes(text) && resolve();
      look();
      void exit.then(() => reject(new Error(`It ended without saying ${JSON.stringify(text)}:\n${output}`)));
    });
  return { child, exit, says, output: () => output };
}

test("with --once it exits 0 when the first demand is in service, and leaves nothing behind", async () => {
  const run = launch("start", ["--once"]);
  expect(await run.exit, run.output()).toBe(0);
  for (const line of [
    /zoomies {2}pool linux has 0 slots and misses 7/,
    /drover {3}received capacity demand for pool_[a-z2-7]{13}: 0 slots \+ 7 = target 7/,
    /drover {3}decided to raise zoomies-linux from 0 to 2 hosts: /,
    /group {4}zoomies-linux: desired capacity 0 -> 2/,
    /ec2 {6}i-[0-9a-f]{17} is booting for zoomies-linux/,
    /zoomies {2}host i-[0-9a-f]{17} joined with 4 slots/,
    /drover {3}decided to let in i-[0-9a-f]{17}: its host is healthy \[in service\]/,
    /group {4}zoomies-linux: i-[0-9a-f]{17} is in service/,
  ]) {
    expect(run.output()).toMatch(line);
  }
  expect(existsSync(`${folder}/world.json`)).toBe(false);
});

test("a running world describes itself in world.json, takes events from npm run send, and ends on Ctrl-C", async () => {
  writeFileSync(`${folder}/world.json`, '{"api":"http://127.0.0.1:1","of":"a world that died"}');
  const run = launch("start", []);
  await run.says("Ctrl-C");
  await run.says("desired capacity 0 -> 2");
  const world = readWorldFile(folder);
  const told = ["api", "aws", "dynamodb", "table", "stack", "deployed", "controlPlane", "helmrRegionId"];
  expect(Object.keys(world ?? {})).toEqual([...told, "secrets", "fleets", "zoomiesApi", "scaler"]);
  expect(world?.fleets[0]).toEqual({ name: "zoomies-linux", pools: ["pool_k5v3mq7xw2rat"], slotsPerHost: 4 });
  for (const secret of Object.values(world?.secrets ?? {})) expect(run.output()).not.toContain(secret);
  expect(run.output()).not.toContain(world?.zoomiesApi.joinsToken);
  expect(world?.scaler).toBe("aws-linux");

  const sent = launch("send", ["zoomies", "--pool", "pool_k5v3mq7xw2rat", "--capacity", "8", "--slots", "3"]);
  expect(await sent.exit, sent.output()).toBe(0);
  expect(sent.output()).toContain("204  x-drover-outcome: applied");
  await run.says("desired capacity 2 -> 3");
  await run.says("helmr-general: desired capacity 0 -> 3");
  await run.says("item-000001 runs on i-");

  run.child.kill("SIGINT");
  expect(await run.exit).toBe(0);
  expect(existsSync(`${folder}/world.json`)).toBe(false);
});

test("a KiCI agent's whole life is in the timeline, and one that nobody knows ends by itself", async () => {
  const run = launch("start", []);
  await run.says("Ctrl-C");
  await run.says("workflow teardown");
  const agent = "scaler-event-[0-9a-f]{8}";
  for (const line of [
    new RegExp(`kici {5}a job waits at scaler aws-linux: sends scale-up for ${agent}`),
    new RegExp(`drover {3}launches agent ${agent} as m7i.large in subnet-\\d+, attempt 1: launched`),
    new RegExp(`kici {5}workflow provision for ${agent}: launched i-`),
    new RegExp(`kici {5}agent ${agent} claimed its token on i-[0-9a-f]{17}, registered with 5 labels`),
    new RegExp(`kici {5}agent ${agent} did its job and is idle: it ends, and i-[0-9a-f]{17} powers off`),
    new RegExp(`kici {5}sends scale-down for ${agent}: shutdown`),
    new RegExp(`kici {5}workflow teardown for ${agent}: (terminating|absent)`),
  ]) {
    expect(run.output()).toMatch(line);
  }
  const up = launch("send", ["kici-up", "--agent", "by-hand"]);
  expect(await up.exit, up.output()).toBe(0);
  expect(up.output()).toMatch(/^201 {2}launched i-[0-9a-f]{17}$/m);
  await run.says("agent by-hand cannot claim: invalid claim code: it ends, and i-");
  const down = launch("send", ["kici-down", "--agent", "by-hand"]);
  expect(await down.exit, down.output()).toBe(0);
  expect(run.output()).not.toContain(readWorldFile(folder)?.secrets.kici);
  run.child.kill("SIGINT");
  expect(await run.exit).toBe(0);
});

test("a terminated run cleans up and does not claim success", async () => {
  const run = launch("start", ["--once"]);
  await run.says("capacity_demand");
  run.child.kill("SIGTERM");
  expect(await run.exit).toBe(143);
  expect(existsSync(`${folder}/world.json`)).toBe(false);
});

test("a taken port is said in plain words, with exit code 1", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as AddressInfo;
  const run = launch("start", ["--once"], { DROVER_PORT: String(port) });
  expect(await run.exit).toBe(1);
  other.close();
  expect(run.output()).toContain(`Port ${port} is taken`);
  expect(run.output()).toContain("DROVER_PORT=0");
});

test.each([
  [["--twice"], {}, "Unknown option '--twice'"],
  [["now"], {}, "now"],
  [["--once", "--observe"], {}, "--once waits for hosts in service, and with --observe none comes."],
  [[], { DROVER_PORT: "http" }, 'DROVER_PORT must be a port from 0 to 65535, and is "http".'],
])("%j with %j is a usage error with exit code 2", async (args, variables, message) => {
  const run = launch("start", args, variables);
  expect(await run.exit).toBe(2);
  expect(run.output()).toContain(message);
  expect(run.output()).toContain("npm start [-- --once | --observe]");
});
