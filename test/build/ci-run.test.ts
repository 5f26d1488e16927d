import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { root } from "../../infra/build/entry-points.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/drover-ci-`);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Part {
  readonly prints: string;
  readonly exit?: number;
}

/** Runs .ci/run with an npm that only prints and ends as told: the parts themselves are not run. */
function ciRun(parts: { readonly test: Part; readonly "check:deploy": Part; readonly "test:deployed": Part }) {
  const cases = Object.entries(parts).map(
    ([name, { prints, exit = 0 }]) => `*" ${name} ") printf '%s\\n' '${prints}'; exit ${exit} ;;`,
  );
  const npm = `#!/bin/sh\ncase " $* " in\n${cases.join("\n")}\n*) exit 99 ;;\nesac\n`;
  writeFileSync(`${folder}/npm`, npm);
  chmodSync(`${folder}/npm`, 0o755);
  const { status, stdout } = spawnSync("bash", [`${root}.ci/run`], {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    encoding: "utf8",
  });
  return { status, closing: stdout.trimEnd().split("\n").at(-1) };
}

const good = {
  test: { prints: "40 passed, 0 failed, 2 skipped" },
  "check:deploy": { prints: "fine" },
  "test:deployed": { prints: "5 passed, 0 failed" },
} as const;

test("a pipeline runs all three parts, and closes with the sum of their tests", () => {
  expect(ciRun(good)).toEqual({ status: 0, closing: "45 passed, 0 failed" });
});

test.each([
  ["a test fails", { test: { prints: "39 passed, 1 failed", exit: 1 } }, "44 passed, 1 failed"],
  ["something beside the tests fails", { test: { prints: "40 passed, 0 failed", exit: 1 } }, "45 passed, 1 failed"],
  ["the tests do not even run", { test: { prints: "error TS2322", exit: 2 } }, "5 passed, 1 failed"],
  ["a run says nothing", { test: { prints: "", exit: 0 } }, "5 passed, 1 failed"],
  ["a check of the deployment fails", { "check:deploy": { prints: "E3001", exit: 1 } }, "45 passed, 1 failed"],
  ["the deployed test fails", { "test:deployed": { prints: "4 passed, 1 failed", exit: 1 } }, "44 passed, 1 failed"],
])("it fails when %s, and the other parts still run", (_, broken, closing) => {
  expect(ciRun({ ...good, ...broken })).toEqual({ status: 1, closing });
});
