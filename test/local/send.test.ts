import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type CommandParts, runCommand } from "../../infra/cli/run-command.ts";
import { sendCommand } from "../../infra/local/send/command.ts";
import type { WorldFile } from "../../infra/local/world-file.ts";
import { startWorld, type TestWorld } from "../world.ts";

const pool = "pool_k5v3mq7xw2rat";
const secret = 'odd "secret" ü';
const folder = mkdtempSync(`${tmpdir()}/drover-send-`);
let world: TestWorld;
let printed: string[] = [];
beforeAll(async () => {
  const tags = { "drover:host-selector/zone": "eu-west-1" };
  world = await startWorld({
    fleets: [{ name: "linux", pools: [pool], slotsPerHost: 4, tags }],
    zoomiesSecret: secret,
  });
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  // Whatever was sent and came back, the secret is nowhere in it.
  expect(printed.join("\n")).not.toContain(secret);
  printed = [];
});

const local = (): WorldFile => ({
  api: world.api,
  aws: world.aws,
  dynamodb: world.dynamodb,
  table: world.table,
  secrets: { zoomies: secret, kici: world.secrets.kici.value },
  fleets: [],
  zoomiesApi: { url: "http://127.0.0.1:9", hostsToken: secret, joinsToken: secret },
  scaler: "aws-linux",
});
const run = (text: string, parts: Partial<CommandParts> = {}) =>
  runCommand(...sendCommand(text.split(" ").filter(Boolean)), {
    variables: {},
    world: local,
    print: (line) => printed.push(line),
    printError: (line) => printed.push(line),
    ...parts,
  });
const elsewhere = { world: () => undefined };
const event = `zoomies --pool ${pool} --capacity 8 --slots 3`;

test("an event for the local world needs nothing but its numbers, and what came back is printed", async () => {
  expect(await run(`${event} --selector zone=eu-west-1 --backend docker --queued 5`)).toBe(0);
  expect(printed[0]).toContain(`pool ${pool}, 8 + 3 = 11 slots`);
  expect(printed[1]).toBe("204  x-drover-outcome: applied");
  expect(world.group("linux").desired).toBe(3);
});

test("the event carries what was asked for", async () => {
  const id = "aaaaaaaaaaaaaaaaaaaa";
  const timestamp = "2026-09-05T12:00:01.5Z";
  const more = `--type scale_down_opportunity --event-id ${id} --timestamp ${timestamp}`;
  expect(await run(`zoomies --pool ${pool} --capacity 8 --slots -2 ${more}`)).toBe(0);
  const { body = "" } = (world.invocations.at(-1)?.event as { body?: string } | undefined) ?? {};
  expect(JSON.parse(body)).toEqual({
    schema_version: 1,
    event_id: id,
    type: "scale_down_opportunity",
    timestamp,
    pool_id: pool,
    host_selector: {},
    backend: "docker",
    required_runner_slots: -2,
    current_capacity: 8,
    queued_job_count: 0,
    oldest_queue_age_seconds: 0,
  });
});

test("a refusal shows its status, code and message, and the exit code is 1", async () => {
  expect(await run("zoomies --pool pool_nobody --capacity 0 --slots 1")).toBe(1);
  expect(printed[1]).toMatch(/^404 {2}[a-z_]+: .*pool_nobody/);
});

test("the secret comes from a file, without the line break that editors add, or from the environment", async () => {
  const file = `${folder}/secret`;
  writeFileSync(file, `${secret}\n`);
  const url = `--url ${world.api}/zoomies/capacity`;
  expect(await run(`${event} ${url} --secret-file ${file}`, elsewhere)).toBe(0);
  expect(await run(`${event} ${url}`, { ...elsewhere, variables: { DROVER_SECRET: secret } })).toBe(0);
  writeFileSync(file, "another");
  expect(await run(`${event} ${url} --secret-file ${file}`)).toBe(1);
  expect(printed.at(-1)).toMatch(/^401 {2}bad_signature: /);
});

test("the local world's secret is not used for another place", async () => {
  expect(await run(`${event} --url http://127.0.0.1:9/zoomies/capacity`)).toBe(2);
  expect(printed[0]).toContain("--secret-file");
});

test("nobody listening is exit code 1 with a hint", async () => {
  expect(await run(event, { world: () => ({ ...local(), api: "http://127.0.0.1:9" }) })).toBe(1);
  expect(printed.join("\n")).toContain("npm start");
});

test.each([
  ["", "Say what to send: zoomies, kici-up, kici-down."],
  ["kici", "Say what to send: zoomies, kici-up, kici-down."],
  ["zoomies --capacity 8 --slots 3", "--pool POOL is missing."],
  ["zoomies --pool p --slots 3", "--capacity N is missing."],
  ["zoomies --pool p --capacity 8", "--slots N is missing."],
  ["zoomies --pool p --capacity 8.5 --slots 3", "--capacity must be a whole number."],
  [`${event} --type demand`, "--type must be"],
  [`${event} --selector zone`, "--selector must be"],
  [`${event} --url ftp://x`, "--url must be"],
  [`${event} --url http://drover.example.com/zoomies/capacity`, "--url must be an https URL"],
  [`${event} --secret x`, "Unknown option '--secret'"],
  [`${event} --secret-file /nowhere`, "cannot be read"],
  [`${event} surplus`, "surplus"],
])("%j is a usage error with exit code 2", async (text, message) => {
  expect(await run(text)).toBe(2);
  expect(printed[0]).toContain(message);
  expect(printed[1]).toContain("npm run send -- --help");
});

test("without a local world and without a URL it says what to do", async () => {
  expect(await run(event, elsewhere)).toBe(2);
  expect(printed[0]).toContain("start one with npm start, or give --url");
});

test("--help prints the usage and is no error", async () => {
  expect(await run("zoomies --help")).toBe(0);
  expect(printed[0]).toContain("--secret-file FILE");
});
