import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Command, commandsOf, keeps, pages, root } from "./pages.ts";

/** A busy machine takes its time; a world needs seconds. */
const longestMs = 60_000;
let folder: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/drover-walk-`);
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  rmSync(folder, { recursive: true });
});

const localCommands = (path: string): Command[] => {
  const page = pages().find((each) => each.path === path);
  return page?.fences.filter(({ marks }) => marks.includes("local")).flatMap(commandsOf) ?? [];
};

/** A command as the page has it. npm itself is left out: it would look for updates; what its script does is done. */
function type(line: string) {
  const [, script = "", rest = ""] = /^npm (?:run )?(\w+)(?: -- (.*))?$/.exec(line) ?? [];
  const path = scripts[script];
  if (path === undefined) throw new Error(`The walk types a command that this test cannot: ${line}`);
  const env = { ...process.env, DROVER_PORT: "0", DROVER_LOCAL_DIR: folder };
  const args = [root + path, ...rest.split(" ").filter((word) => word !== "")];
  const child = spawn(process.execPath, args, { env, cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let printed = "";
  let look = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      look();
    });
  }
  const exit = new Promise<number | null>((ended) => child.on("close", ended));
  return {
    child,
    exit,
    printed: () => printed,
    /** Resolves when everything promised was printed; rejects when it ends before. */
    keeps: (promises: readonly string[]) =>
      new Promise<void>((kept, broken) => {
        const report = () => broken(new Error(`${line} did not keep ${JSON.stringify(promises)}:\n${printed}`));
        const patience = setTimeout(report, longestMs);
        patience.unref();
        look = () => {
          if (!keeps(printed, promises)) return;
          clearTimeout(patience);
          kept();
        };
        look();
        void exit.then(report);
      }),
  };
}

/** What each script runs, from package.json's own line. */
const scripts: Readonly<Record<string, string>> = {
  start: "infra/local/start.ts",
  send: "infra/local/send.ts",
  doctor: "infra/doctor/main.ts",
  explain: "infra/explain/main.ts",
  ops: "infra/ops/main.ts",
  helmr: "infra/helmr-cli/main.ts",
};

test("docs/adopt.md: the newcomer's walk, command by command", async () => {
  const [start, ...rest] = localCommands("docs/adopt.md");
  expect(start?.line).toBe("npm start");
  expect(rest.length).toBeGreaterThan(5);
  const world = type("npm start");
  await world.keeps(start?.promises ?? []);
  for (const { line, promises, exit } of rest) {
    const typed = type(line);
    expect(await typed.exit, `${line}\n${typed.printed()}`).toBe(exit);
    expect(keeps(typed.printed(), promises), `${line} promises\n${promises.join("\n")}\n\n${typed.printed()}`).toBe(
      true,
    );
  }
  // What the page says in passing.
  await world.keeps(["... zoomies-linux: desired capacity 2 -> 3"]);
  world.child.kill("SIGINT");
  expect(await world.exit).toBe(0);
  expect(existsSync(`${folder}/world.json`)).toBe(false);
});

test("README.md: its first command ends by itself with the first demand in service", async () => {
  const commands = localCommands("README.md");
  expect(commands.map(({ line }) => line)).toEqual(["npm start -- --once"]);
  const run = type(commands[0]?.line ?? "");
  expect(await run.exit, run.printed()).toBe(0);
  expect(run.printed()).toContain("The first demand is in service.");
});

test("every script that the walk types is package.json's", async () => {
  const { default: manifest } = (await import("../../package.json", { with: { type: "json" } })) as {
    default: { scripts: Record<string, string> };
  };
  for (const [script, path] of Object.entries(scripts)) expect(manifest.scripts[script]).toBe(`node ${path}`);
});
