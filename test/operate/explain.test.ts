import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { explain } from "../../infra/explain/command.ts";
import { explained } from "../../infra/explain/explained.ts";
import { explainedLines } from "../../infra/explain/lines.ts";
import { sinceOf } from "../../infra/explain/since.ts";
import { type KiciWorld, scaler, startKici } from "../kici/kici-world.ts";
import { awsShell } from "./aws-shell.ts";
import { startCloudFormation } from "./cloud-formation.ts";
import { type } from "./command-line.ts";

let world: KiciWorld;
let instance: string;
const claimCode = "deadbeef".repeat(8);

beforeAll(async () => {
  const fleets = [{ name: "linux", pools: ["pool_a"], slotsPerHost: 4, maxSize: 3 }];
  world = await startKici({ name: scaler }, { fleets });
  await world.send({ pool: "pool_a", capacity: 0, slots: 7 });
  world.advance(2_000);
  await world.send({ pool: "pool_a", capacity: 0, slots: 40 });
  world.advance(2_000);
  const { answer } = await world.up(world.scaleUp({ claimCode }));
  instance = answer.instanceId ?? "";
  world.advance(2_000);
  await world.up(world.scaleUp({ agentId: "too-large", claimCode, resources: { cpus: 900 } }));
  world.advance(2_000);
  await world.down();
});

afterAll(() => world.close());

describe("npm run explain", () => {
  test("tells people what was asked, decided, why, and what came of it, in order", async () => {
    const { exit, out } = await type(explain, "--fleet linux", world);
    expect(exit).toBe(0);
    expect(out).toBe(`\
2026-09-05 12:00:00 demand    pool_a has 0 + 7 slots, desired 0, slots 7, hosts 2
                    decision  raise desired capacity 0 to 2
                    reason    7 slots wanted, 4 a host: 2 hosts
                    action    sent
                    outcome   accepted

2026-09-05 12:00:02 demand    pool_a has 0 + 40 slots, desired 2, slots 40, hosts 10
                    decision  raise desired capacity 2 to 3
                    reason    40 slots wanted, 4 a host: 10 hosts
                              MaxSize 3 holds back 7 of 10 hosts
                    action    sent
                    outcome   accepted`);
  });

  test("tells programs the same", async () => {
    const { exit, out } = await type(explain, `--fleet ${scaler} --json`, world);
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      fleet: `kici#${scaler}`,
      decisions: [
        { decision: "launch", action: "sent", outcome: instance, demand: { agent: expect.any(String), attempt: 1 } },
        { decision: "launch nothing", action: "none", outcome: "refused: no_type_large_enough" },
        { decision: "tear down", reasons: ["shutdown"], action: "sent", outcome: `${instance} ended` },
      ],
    });
  });

  test("keeps to one instance, and to the time asked for", async () => {
    const ofInstance = await type(explain, `--fleet ${scaler} --instance ${instance} --json`, world);
    const { decisions } = JSON.parse(ofInstance.out) as { decisions: { decision: string }[] };
    expect(decisions.map(({ decision }) => decision)).toEqual(["launch", "tear down"]);
    const later = new Date(world.clock.now() - 7_000).toISOString();
    expect((await type(explain, `--fleet linux --since ${later}`, world)).out).not.toContain(
      "raise desired capacity 0",
    );
    expect((await type(explain, "--fleet linux --since 1s", world)).out).toContain("the last one still stands");
  });

  test("shows no secret and no claim code", async () => {
    const said = [];
    for (const args of ["linux", scaler, "linux --json", `${scaler} --json`, "nobody"])
      said.push(await type(explain, `--fleet ${args}`, world));
    const all = JSON.stringify(said);
    expect(all.length).toBeGreaterThan(1_000);
    for (const secret of [claimCode, world.secrets.kici.value, world.secrets.zoomies.value, "claimCode", "whsec_"]) {
      expect(all).not.toContain(secret);
    }
  });

  test("names the fleets that there are when it knows none of that name", async () => {
    const { exit, out } = await type(explain, "--fleet linus", world);
    expect(exit).toBe(1);
    expect(out).toBe(`Nothing was ever decided about linus.\nKnown fleets:\n  ${scaler}\n  linux`);
  });

  test.each([
    ["", "--fleet NAME is missing."],
    ["--fleet linux --since yesterday", "--since must be"],
    ["--fleet linux --instance web-1", "--instance must be"],
    ["--fleet linux --colour", "Unknown option"],
  ])("refuses %j", async (args, sentence) => {
    const { exit, error } = await type(explain, args, world);
    expect(exit).toBe(2);
    expect(error).toContain(sentence);
    expect(error).toContain("npm run explain -- --help");
  });

  test("asks for a table where no local world runs, and says in its help where to find one", async () => {
    expect(await type(explain, "--fleet linux", undefined)).toMatchObject({
      exit: 2,
      error: expect.stringContaining("Give --stack NAME"),
    });
    const help = await type(explain, "--help", undefined);
    expect(help.exit).toBe(0);
    expect(help.out).toContain("--stack NAME");
  });
});

describe("of a stack in AWS", () => {
  let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;

  beforeAll(async () => {
    cloudFormation = await startCloudFormation("drover", { TableName: world.table });
    awsShell({ AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url, AWS_ENDPOINT_URL_DYNAMODB: world.dynamodb });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await cloudFormation.close();
  });

  test("its own output names the ledger", async () => {
    const { exit, out, error } = await type(explain, "--stack drover --fleet linux", undefined);
    expect(exit, error).toBe(0);
    expect(out).toContain("raise desired capacity 0 to 2");
  });

  test("a stack that is not there, or is named beside a table, is said", async () => {
    expect(await type(explain, "--stack other --fleet linux", undefined)).toMatchObject({
      exit: 1,
      error: expect.stringContaining("There is no stack other in eu-west-1. Set AWS_REGION"),
    });
    expect((await type(explain, "--stack drover --table x --fleet linux", undefined)).exit).toBe(2);
  });
});

test("names for programs become words for people, each thing said once", () => {
  const saw = { inFlight: 3, states: { in_flight: 3, active: 0 } };
  const entry = { fleet: "f", at: 0, saw, decided: "complete-launch", reasons: [], outcome: "in service" };
  expect(explainedLines(explained(entry)).join("\n")).toBe(`\
1970-01-01 00:00:00 demand    in flight 3
                    decision  let it out of its launch hook
                    action    sent
                    outcome   in service`);
});

test("a decision that carries its reasons is told without them, and without the colon where it has none", () => {
  const of = (decided: string, reasons: string[]) =>
    explainedLines(explained({ fleet: "f", at: 0, saw: { key: "k" }, decided, reasons, outcome: "wait" }))[1];
  expect(of("operation wait: the host is draining", ["the host is draining"])).toMatch(/decision {2}operation wait$/);
  expect(of("operation end: ", [])).toMatch(/decision {2}operation end$/);
});

test("a length of time and a moment are both understood", () => {
  const now = Date.UTC(2026, 0, 2);
  expect(["90s", "30m", "1h", "7d"].map((text) => now - sinceOf(text, now))).toEqual([
    90_000, 1_800_000, 3_600_000, 604_800_000,
  ]);
  expect(sinceOf("2026-01-01T12:00:00Z", now)).toBe(Date.UTC(2026, 0, 1, 12));
});

test.each([
  ["accepted", "sent"],
  ["refused: ValidationError", "sent"],
  ["unknown: TimeoutError", "sent"],
  ["i-0123456789abcdef0 ended", "sent"],
  ["3 runners asked to go", "sent"],
  ["observed", "observed"],
  ["i-0123456789abcdef0 observed", "observed"],
  ["none", "none"],
  ["refused: scaler_at_cap", "none"],
  ["MinSize is reached", "none"],
  ["nothing runs", "none"],
  ["out of time", "none"],
] as const)("the outcome %j means that what was decided was %s", (outcome, action) => {
  expect(explained({ fleet: "f", at: 0, saw: {}, decided: "d", reasons: [], outcome }).action).toBe(action);
});
