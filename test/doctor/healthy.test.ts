import { afterEach, beforeEach, expect, test } from "vitest";
import { type DoctorWorld, startDoctorWorld } from "./doctor-world.ts";

let world: DoctorWorld;
beforeEach(async () => {
  world = await startDoctorWorld();
});
afterEach(() => world.close());

test("a healthy world has no finding, says what is safe, and exits 0", async () => {
  const { exit, report } = await world.examine();
  expect(report.findings).toEqual([]);
  expect(report.integrations).toEqual(["zoomies", "zoomiesHosts", "helmr", "kici"]);
  expect(report.safeToGrow).toEqual(["linux", "workers"]);
  expect(report.safeToShrink).toEqual(["linux", "workers"]);
  expect(report.notChecked).toEqual([expect.stringContaining("only a change would tell")]);
  expect(exit).toBe(0);
});

test("the doctor changes nothing, and asks Helmr for no plan", async () => {
  await world.examine();
  expect(world.faults.mutations()).toEqual([]);
  const asked = world.helmr.calls.map(({ operation }) => operation);
  expect(asked).toContain("resolvePool");
  expect(asked).not.toContain("plan");
});

test("no secret is in what it prints", async () => {
  world.secret("ZoomiesHostsTokenArn", "a token\nof two lines");
  world.secret("KiciSecretArn", "whsec_notbase64!");
  const { text, report } = await world.examine();
  expect(text).toContain("secret_malformed");
  for (const part of ["two lines", "notbase64", "signing secret", "joins-token"]) {
    expect(text + JSON.stringify(report)).not.toContain(part);
  }
});

test("people read each finding as what, why and fix, under what is safe", async () => {
  world.deployed.parameters["Alarms"] = "off";
  expect((await world.examine()).text).toBe(`\
Stack drover is UPDATE_COMPLETE. On: Zoomies, Zoomies' API, Helmr, KiCI.
Safe to grow: linux, workers.
Safe to shrink: linux, workers.

warning alarms_off: Alarms
  what  Alarms is off.
  why   Nobody hears of a failure.
  fix   Set it to on.

Not checked:
  scopes hosts:cordon, hosts:delete, runners:drain and joins:write: only a change would tell

0 errors, 1 warning.`);
});

test("a warning alone exits 0", async () => {
  world.deployed.parameters["Mode"] = "observe";
  const { exit, report } = await world.examine();
  expect(report.findings.map(({ code }) => code)).toEqual(["observe_mode"]);
  expect(exit).toBe(0);
});

test("a stack that is not there is said, with exit code 1", async () => {
  world.account.deployed = undefined;
  const { exit, text, report } = await world.examine();
  expect(text).toContain("There is no stack drover in eu-west-1. Set AWS_REGION");
  expect(report).toMatchObject({ error: "StackNotFound" });
  expect(exit).toBe(1);
});

test("what cannot be looked at is listed, not passed over", async () => {
  world.account.trust = { unread: "AccessDenied: no" };
  world.account.executions = { unread: "AccessDenied: no" };
  world.faults.add({ kind: "error", on: "ec2:DescribeSubnets", code: "UnauthorizedOperation" });
  const { report } = await world.examine();
  expect(report.notChecked).toEqual([
    expect.stringContaining("free addresses of subnets: UnauthorizedOperation"),
    "trust policy of the hosts' role: AccessDenied: no",
    "concurrency of the account: AccessDenied: no",
    expect.stringContaining("only a change would tell"),
  ]);
  expect(report.findings).toEqual([]);
});
