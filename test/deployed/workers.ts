import { execFile } from "node:child_process";
import { readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { until } from "./until.ts";

const run = promisify(execFile);

/** A process that runs one function, one event at a time: Lambda's execution environment, as MiniStack has it. */
export interface Worker {
  readonly pid: number;
  readonly command: string;
}

/**
 * The processes that MiniStack started for functions, orphans among them. Their code lies in its own temporary folder, which no other process on the
 * machine has in its command.
 */
export async function workersIn(folder: string): Promise<Worker[]> {
  const { stdout } = await run("ps", ["-A", "-ww", "-o", "pid=,args="]);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, command = ""] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    const isWorker = command.includes(` ${folder}/tmp/`) && command.endsWith("/_worker.js");
    return isWorker ? [{ pid: Number(pid), command }] : [];
  });
}

/** The program that a worker is, where the system tells (Linux). */
export const programOf = ({ pid }: Worker): Promise<string> => readlink(`/proc/${pid}/exe`);

/** Ends one worker as a crash would, and comes back when it runs no more. */
export async function endWorker({ pid }: Worker): Promise<void> {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return;
  }
  await until(`process ${pid} has ended`, 5_000, async () => !(await isRunning(pid)));
}

/**
 * A process that has ended and that its parent has not asked after yet is still listed, as a zombie; while `l` stands beside the Z some of its threads
 * are still there, and its parent is told nothing yet.
 */
async function isRunning(pid: number): Promise<boolean> {
  const state = await run("ps", ["-p", String(pid), "-o", "stat="]).then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );
  return state !== "" && !/^Z[^l]*$/.test(state);
}
