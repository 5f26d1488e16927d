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
  const env = { ...process.env, DROVER_PORT: "0", DROVER_LOCAL_DIR: `${folder}/.local` };
  const args = [root + path, ...rest.split(" ").filter((word) => word !== "")];
  // Files that the page names are relative to the project's root; here that is a folder of the test's own.
  const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
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
  secret: "infra/secret/main.ts",
  doctor: "infra/doctor/main.ts",
  explain: "infra/explain/main.ts",
  ops: "infra/ops/main.ts",
  helmr: "infra/helmr-cli/main.ts",
  zoomies: "infra/zoomies-cli/main.ts",
};

type Typed = ReturnType<typeof type>;

/** The world's own address: the page has the port that is free on a reader's machine. */
const pagePort = "http://127.0.0.1:3000/";
const originOf = (world: Typed) => /http:\/\/127\.0\.0\.1:\d+\//.exec(world.printed())?.[0] ?? "";

async function leave(world: Typed): Promise<void> {
  world.child.kill("SIGINT");
  expect(await world.exit).toBe(0);
  expect(existsSync(`${folder}/.local/world.json`)).toBe(false);
}

test("docs/adopt.md: the newcomer's walk, command by command, first observing and then acting", async () => {
  const commands = localCommands("docs/adopt.md");
  const starts = commands.map(({ line }) => line).filter((line) => line.startsWith("npm start"));
  expect(starts).toEqual(["npm start -- --observe", "npm start"]);
  expect(commands[0]?.line).toBe(starts[0]);
  let world: Typed | undefined;
  let origin = pagePort;
  const here = (text: string) => text.replaceAll(pagePort, origin);
  for (const { line, promises, exit } of commands) {
    if (starts.includes(line)) {
      if (world !== undefined) {
        expect(world.printed(), "a group grew while Drover observed").not.toContain("desired capacity 0 ->");
        await leave(world);
      }
      world = type(line);
      await world.keeps(["Drover listens on ..."]);
      origin = originOf(world);
      await world.keeps(promises.map(here));
      continue;
    }
    const typed = type(here(line));
    expect(await typed.exit, `${line}\n${typed.printed()}`).toBe(exit);
    const kept = keeps(typed.printed(), promises.map(here));
    expect(kept, `${line} promises\n${promises.join("\n")}\n\n${typed.printed()}`).toBe(true);
  }
  // What the page says in passing.
  await world?.keeps(["... zoomies-linux: desired capacity 2 -> 3"]);
  if (world !== undefined) await leave(world);
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
