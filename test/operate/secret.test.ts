import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { secret } from "../../infra/secret/command.ts";
import { startWorld, type TestWorld } from "../world.ts";
import { type } from "./command-line.ts";

let world: TestWorld;
const folder = mkdtempSync(`${tmpdir()}/drover-secret-`);

beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string, text?: string) => {
  const path = `${folder}/${name}`;
  if (text !== undefined) writeFileSync(path, text);
  return path;
};

test("a secret goes into a new file that nobody else can read, and what is printed does not show it", async () => {
  const path = file("webhook");
  const said = await type(secret, `read ZoomiesWebhookSecretArn --file ${path}`, world);
  expect(said.exit, said.error).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(world.secrets.zoomies.value);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(said.out + said.error).not.toContain(world.secrets.zoomies.value);
  expect(await type(secret, `read ZoomiesWebhookSecretArn --file ${path}`, world)).toMatchObject({
    exit: 1,
    out: `There is a file ${path} already. Remove it first.`,
  });
});

test("a value goes from a file into the stack, without the line break that editors add", async () => {
  const value = Buffer.alloc(32, "another").toString("base64");
  const said = await type(secret, `put KiciSecretArn --file ${file("kici", `${value}\n`)}`, world);
  expect(said).toMatchObject({ exit: 0, error: "" });
  await type(secret, `read KiciSecretArn --file ${file("kici-read")}`, world);
  expect(readFileSync(file("kici-read"), "utf8")).toBe(value);
  expect(said.out).not.toContain(value);
});

test.each([
  ["too short", "KiciSecretArn", "whsec_short"],
  ["a JSON object", "ZoomiesWebhookSecretArn", '{"secret":"x"}'],
  ["blanks around it", "ZoomiesWebhookSecretArn", " with-edges"],
  ["a placeholder", "ZoomiesWebhookSecretArn", "change-me"],
])("what cannot be right is not put: %s", async (_what, output, text) => {
  const mutations = () => world.faults.mutations().length;
  const before = mutations();
  const said = await type(secret, `put ${output} --file ${file("wrong", text)}`, world);
  expect(said).toMatchObject({ exit: 1, out: expect.stringContaining("Nothing was put.") });
  expect(said.out).not.toContain(text);
  expect(mutations()).toBe(before);
});

test.each([
  ["", 2, "Say what to do"],
  ["read SomethingElse --file x", 2, "OUTPUT must be one of"],
  ["read KiciSecretArn", 2, "--file FILE is missing."],
  ["read HelmrCapacityTokenArn --file x", 1, "has no output HelmrCapacityTokenArn"],
  ["put KiciSecretArn --file /nowhere/at/all", 2, "The file /nowhere/at/all with the KiciSecretArn cannot be read."],
  ["read KiciSecretArn --file /nowhere/at/all", 1, "The file /nowhere/at/all cannot be written: ENOENT."],
  ["read KiciSecretArn --file x --stack=", 2, "--stack NAME is empty."],
])("%j ends with exit code %d", async (args, exit, sentence) => {
  const said = await type(secret, args, world);
  expect(said.exit).toBe(exit);
  expect(said.out + said.error).toContain(sentence);
});
