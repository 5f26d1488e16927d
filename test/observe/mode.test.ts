import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { environment } from "../../lib/edge/environment.ts";
import { modeOf, OnlyObserving } from "../../lib/edge/mode.ts";
import { helmrActs, observingHelmrActs } from "../../lib/helmr/acts.ts";
import { helmrParts } from "../../lib/helmr/helmr-parts.ts";
import { helmrInterruption } from "../../lib/helmr/interruption-wiring.ts";
import { noticeParts } from "../../lib/interruption/notice-parts.ts";
import { zoomiesInterruption } from "../../lib/zoomies/interruption-wiring.ts";
import { lifeParts } from "../../lib/zoomies/life-parts.ts";
import { scalingClients } from "../../lib/zoomies/scaling-clients.ts";

// Nobody listens there: what is refused before it is sent does not even try.
const nowhere = "http://127.0.0.1:9";
const variables = {
  AWS_REGION: "eu-west-1",
  DROVER_STACK: "drover",
  DROVER_TABLE: "table",
  DROVER_HELMR_URL: nowhere,
  DROVER_HELMR_SECRET: "helmr",
  DROVER_HELMR_REGION_ID: "region",
  DROVER_ZOOMIES_API_URL: nowhere,
  DROVER_ZOOMIES_HOSTS_SECRET: "hosts",
  DROVER_ZOOMIES_JOINS_SECRET: "joins",
  DROVER_ZOOMIES_INTERVAL_SECONDS: "10",
  DROVER_JOIN_DEADLINE_MINUTES: "10",
};
const inMode = (mode: string, more = {}) => environment({ ...variables, DROVER_MODE: mode, ...more });

describe("the stack's mode", () => {
  test("is to act unless it says otherwise, and nothing but the two words", () => {
    expect(modeOf(environment({}))).toBe("act");
    expect(modeOf(inMode("observe"))).toBe("observe");
    expect(() => modeOf(inMode("watch"))).toThrow('DROVER_MODE must be act or observe, and is "watch"');
  });

  test("decides which parts a function gets", () => {
    expect(helmrParts(inMode("act")).acts).toBe(helmrActs);
    expect(helmrParts(inMode("observe")).acts).toBe(observingHelmrActs);
  });

  test("gives a function that observes no part of Helmr's or AWS's that could change anything", async () => {
    const { controlPlane, groups, shrink, hooks } = helmrParts(inMode("observe"));
    const wait = { group: "g", hook: "h", instance: "i-1" };
    const calls = [
      controlPlane.scaleIn("g", "p", "key"),
      controlPlane.lost("host"),
      controlPlane.drain("host", { expected_epoch: 1, expected_claim_version: 1, reason: "replacement" }),
      controlPlane.plan("g", { expected_supply_fingerprint: "f", observed_at: "now", pools: [] }),
      shrink.terminate("i-1"),
      hooks.complete(wait, "CONTINUE"),
      hooks.heartbeat(wait),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(OnlyObserving);
    expect(await groups.raise("g", 3)).toEqual({ outcome: "observed" });
  });

  test("gives a function that observes no part of Zoomies' that could change anything", async () => {
    const life = lifeParts(inMode("observe"), scalingClients());
    const calls = [
      life?.hosts.cordon("host", true),
      life?.hosts.drain("runner"),
      life?.hosts.deleteHost("host"),
      life?.joins.mint({ ttl: "5m", capacity: 1, labels: {} }),
      life?.joins.revoke("token"),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(OnlyObserving);
  });

  test("gives the interruption function nothing that could change anything either", async () => {
    const env = inMode("observe");
    const { parts } = noticeParts(env);
    const helmr = helmrInterruption(env, parts.records, parts.clock);
    const fence = { expected_epoch: 1, expected_claim_version: 1, reason: "capacity_reduction" } as const;
    await expect(zoomiesInterruption(env)?.cordon("host", true)).rejects.toThrow(OnlyObserving);
    await expect(helmr?.controlPlane.drain("host", fence)).rejects.toThrow(OnlyObserving);
    const act = vi.fn(async () => "done");
    expect(await parts.carryOut(act)).toBe("observed");
    expect(act).not.toHaveBeenCalled();
    expect(await noticeParts(inMode("act")).parts.carryOut(act)).toBe("done");
  });

  test("is asked for in one place", () => {
    const folder = new URL("../../lib/", import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const asking = files.filter((file) => readFileSync(new URL(file, folder), "utf8").includes("DROVER_MODE"));
    expect(asking).toEqual(["edge/mode.ts"]);
  });
});
