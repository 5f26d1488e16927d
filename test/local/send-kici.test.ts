import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type CommandParts, runCommand } from "../../infra/cli/run-command.ts";
import { sendCommand } from "../../infra/local/send/command.ts";
import type { WorldFile } from "../../infra/local/world-file.ts";
import { type KiciWorld, startKici } from "../kici/kici-world.ts";

const claimCode = "kcc_known_to_an_orchestrator";
const folder = mkdtempSync(`${tmpdir()}/drover-send-kici-`);
let world: KiciWorld;
let printed: string[] = [];
beforeAll(async () => {
  world = await startKici();
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  // Whatever was sent and came back, neither secret is anywhere in it.
  expect(printed.join("\n")).not.toContain(world.secrets.kici.value);
  expect(printed.join("\n")).not.toContain(claimCode);
  expect(printed.join("\n")).not.toMatch(/[0-9a-f]{64}/);
  printed = [];
});

const local = (): WorldFile => ({
  api: world.api,
  aws: world.aws,
  dynamodb: world.dynamodb,
  table: world.table,
  secrets: { zoomies: "unused", kici: world.secrets.kici.value },
  fleets: [],
  zoomiesApi: { url: "http://127.0.0.1:9", hostsToken: "", joinsToken: "" },
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
const sent = (): Record<string, unknown> =>
  JSON.parse((world.invocations.at(-1)?.event as { body: string } | undefined)?.body ?? "{}");

test("a scale-up for the local world needs nothing, and each is an agent of its own", async () => {
  expect(await run("kici-up")).toBe(0);
  expect(printed[0]).toMatch(/^scale-up of scaler-event-[0-9a-f]{8} at scaler aws-linux, 5 labels$/);
  expect(printed[1]).toMatch(/^201 {2}launched i-[0-9a-f]{17}$/);
  const first = sent()["agentId"];
  expect(await run("kici-up")).toBe(0);
  expect(sent()["agentId"]).not.toBe(first);
});

test("the payload is what was asked for, with the claim code from a file or the environment", async () => {
  const file = `${folder}/claim`;
  writeFileSync(file, `${claimCode}\n`);
  const more = `--labels a,b --cpus 1.5 --memory-mib 512 --orchestrator-url wss://ci.example.com/ws`;
  expect(await run(`kici-up --agent agent-1 ${more} --claim-file ${file}`)).toBe(0);
  expect(sent()).toEqual({
    scalerName: "aws-linux",
    agentId: "agent-1",
    labels: ["a", "b"],
    mandatoryLabels: [],
    resources: { cpus: 1.5, memBytes: 512 * 1024 ** 2 },
    orchestratorUrl: "wss://ci.example.com/ws",
    claimCode,
    requestId: expect.stringMatching(/^[0-9a-f]{8}-/),
  });
  // The same claim code again: the same agent.
  expect(await run(`kici-up --agent agent-1 ${more}`, { variables: { DROVER_CLAIM_CODE: claimCode } })).toBe(0);
  expect(printed.at(-1)).toMatch(/^200 {2}exists i-/);
  // A fresh one: another agent of the same name, which is refused.
  expect(await run(`kici-up --agent agent-1 ${more}`)).toBe(1);
  expect(printed.at(-1)).toMatch(/^409 {2}other_claim_code: /);
});

test("a scale-down tears down, with the reason that was given", async () => {
  expect(await run("kici-up --agent agent-2")).toBe(0);
  expect(await run("kici-down --agent agent-2 --reason spawn-timeout")).toBe(0);
  expect(sent()).toMatchObject({ agentId: "agent-2", scalerName: "aws-linux", reason: "spawn-timeout" });
  expect(printed.at(-1)).toMatch(/^200 {2}terminating i-/);
  expect(await run("kici-down --agent agent-2")).toBe(0);
  expect(printed.at(-1)).toBe("200  absent");
});

test("a refusal shows its status, code and message, and the exit code is 1", async () => {
  expect(await run("kici-up --scaler another")).toBe(1);
  expect(printed[1]).toMatch(/^404 {2}scaler_not_served: .*another/);
});

test("another place needs its own secret", async () => {
  const url = `--url ${world.api}/kici/scale-down --scaler s --agent a`;
  const elsewhere = { world: () => undefined };
  expect(await run(`kici-down ${url}`, elsewhere)).toBe(2);
  expect(await run(`kici-down ${url}`, { ...elsewhere, variables: { DROVER_SECRET: world.secrets.kici.value } })).toBe(
    0,
  );
  expect(await run(`kici-down ${url}`, { ...elsewhere, variables: { DROVER_SECRET: "b3RoZXI=" } })).toBe(1);
  expect(printed.at(-1)).toMatch(/^401 {2}bad_signature: /);
});

test("nobody listening is exit code 1 with a hint", async () => {
  expect(await run("kici-up", { world: () => ({ ...local(), api: "http://127.0.0.1:9" }) })).toBe(1);
  expect(printed.join("\n")).toContain("npm start");
});

test.each([
  ["kici-down", "--agent A is missing."],
  ["kici-up --cpus many", "--cpus must be a number above 0."],
  ["kici-up --memory-mib 0", "--memory-mib must be a number above 0."],
  ["kici-up --claim-code x", "Unknown option '--claim-code'"],
  ["kici-up --claim-file /nowhere", "The file /nowhere with the claim code cannot be read."],
  ["kici-up surplus", "surplus"],
  ["kici-up --url ftp://x", "--url must be"],
])("%j is a usage error with exit code 2", async (text, message) => {
  expect(await run(text)).toBe(2);
  expect(printed[0]).toContain(message);
  expect(printed[1]).toContain("npm run send -- --help");
});

test("without a local world it says what is missing", async () => {
  expect(await run("kici-up", { world: () => undefined })).toBe(2);
  expect(printed[0]).toContain("--scaler S is missing");
});
