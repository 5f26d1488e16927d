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

/** Children of `parent` that run code from `folder`, so that no other process is ever taken for one. */
export async function workersOf(parent: number, folder: string): Promise<Worker[]> {
  const { stdout } = await run("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="]);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parentPid, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (Number(parentPid) !== parent || command === undefined || !command.includes(folder)) return [];
    return [{ pid: Number(pid), command }];
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
