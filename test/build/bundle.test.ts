import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionNames, logicalIdOf, nameOfLogicalId } from "../../infra/build/entry-points.ts";
import { type Probe, probe } from "../../infra/build/probe.ts";
import { templateFunctions } from "../../infra/build/template-functions.ts";
import { type BuiltFunctions, buildFunctions, bundleOf } from "./built-functions.ts";

/** The most that a function's bundle may weigh, in bytes. A new function brings its row. */
const MOST_BYTES: Readonly<Record<string, number>> = {
  "zoomies-webhook": 260_000,
  "kici-scale-up": 310_000,
  "kici-scale-down": 275_000,
  "kici-reaper": 310_000,
  "zoomies-join": 260_000,
  "zoomies-reconciler": 320_000,
  "helmr-reconciler": 320_000,
  interruption: 275_000,
};

let built: BuiltFunctions;

beforeAll(async () => {
  built = await buildFunctions();
});

afterAll(() => built?.remove());

function textOf(name: string): string {
  return readFileSync(bundleOf(built, name).file, "utf8");
}

/** The matches alone: a failure that prints the bundle helps nobody. */
function matchesOf(name: string, pattern: RegExp): string[] {
  return textOf(name).match(pattern) ?? [];
}

function loaded(name: string): Probe {
  const environment = templateFunctions().find(({ module }) => module === name)?.environment ?? {};
  return probe(bundleOf(built, name).file, environment);
}

test("every function has a limit for its bundle, and every limit a function", () => {
  expect(Object.keys(MOST_BYTES).sort()).toEqual(functionNames());
});

test("a function's logical id and its file's name lead to each other", () => {
  for (const name of functionNames()) expect(nameOfLogicalId(logicalIdOf(name))).toBe(name);
  expect(nameOfLogicalId("ZoomiesWebhook")).toBe("zoomies-webhook");
  expect(nameOfLogicalId("zoomies-webhook")).toBe("zoomies-webhook");
});

describe.each(functionNames())("the bundle of %s", (name) => {
  test("stays within its limit", () => {
    expect(bundleOf(built, name).bytes).toBeLessThanOrEqual(MOST_BYTES[name] ?? 0);
  });

  test("is one .cjs file, with its source map elsewhere", () => {
    expect(readdirSync(dirname(bundleOf(built, name).file))).toEqual([`${name}.cjs`]);
    expect(matchesOf(name, /sourceMappingURL/g)).toEqual([]);
  });

  test("takes credentials from the environment alone: no SSO, no profile, no metadata service", () => {
    expect(Object.keys(bundleOf(built, name).metafile.inputs).filter((path) => CREDENTIAL_CHAIN.test(path))).toEqual(
      [],
    );
    expect(matchesOf(name, /SSOClient|SSOOIDC|sso-oidc|GetRoleCredentials|fromSSO/g)).toEqual([]);
  });

  test("reaches Node's modules through require, which does not load undici", () => {
    expect(matchesOf(name, /\bimport\(.{0,40}/g)).toEqual([]);
  });

  test("exports its handler, and loads no undici on the way", () => {
    const { exports, modules } = loaded(name);
    expect(exports).toContain("handler");
    // Else the next line proves nothing.
    expect(modules.length).toBeGreaterThan(50);
    expect(modules.filter((module) => /undici/i.test(module))).toEqual([]);
  });

  test("fits twice into its memory once it is loaded (cases.md 64)", () => {
    const memory = templateFunctions().find(({ module }) => module === name)?.memoryMegabytes ?? 0;
    expect(loaded(name).peakMegabytes * 2).toBeLessThan(memory);
  });
});

const CREDENTIAL_CHAIN = /credential-provider-(?!env\b)|token-providers|nested-clients/;
